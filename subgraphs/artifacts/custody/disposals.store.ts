import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { count, id, instant, json, type RowOf, table, text } from '@landfall/kernel/db/table';
import Type from 'typebox';

const disposals = table('evidence.disposals', {
  id: id('EvidenceDisposal'),
  artifactId: id('Artifact'),
  bomRef: text,
  serialNumber: text,
  sha256: text,
  sizeBytes: count,
  retainedUntil: instant,
  rule: text,
  disposedBy: text,
  disposedAt: instant,
  envelope: json(Type.Record(Type.String(), Type.Unknown())),
});

export type Disposal = RowOf<typeof disposals>;

export const { insert } = disposals;

/** Records of disposals, the newest first; one more than the page if there are more. */
export const list = (
  query: Query,
  tenant: TenantId,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Disposal[]> =>
  disposals.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and (${after ?? null}::uuid is null or id < ${after ?? null}::uuid)
      order by id desc limit ${limit}`,
  );
