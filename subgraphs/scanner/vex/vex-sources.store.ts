import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** Sources of a tenant, at most. */
export const MAX_SOURCES = 100;

/** Trust policies of a source. */
export const SOURCE_TRUSTS = ['untrusted', 'trusted', 'signed'] as const;

const sources = table(
  'scanner.vex_sources',
  {
    id: id('VexSource'),
    name: text,
    rank: integer,
    trust: oneOf(...SOURCE_TRUSTS),
    publicKey: text.nullable(),
    keyId: text.nullable(),
    createdBy: text,
    createdAt: instant,
    removedAt: instant.nullable(),
    version: integer,
  },
  { noun: 'VEX source', live: sql`removed_at is null` },
);

/** Registered source of VEX documents. */
export type VexSource = RowOf<typeof sources>;

export const { get, getLocked, insertIfAbsent, update } = sources;

/** Sources in force, the greatest rank first. */
export const list = (query: Query, tenant: TenantId): Promise<VexSource[]> =>
  sources.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by rank desc, name`);

/** Source of a name, locked, so that it is not removed while a document is added. */
export const findLockedByName = (query: Query, tenant: TenantId, name: string): Promise<VexSource | undefined> =>
  sources.findWhere(
    query,
    'findLockedByName',
    sql`tenant = ${tenant} and name = ${name} and removed_at is null for update`,
  );
