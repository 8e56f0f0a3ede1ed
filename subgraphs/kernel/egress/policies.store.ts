import type { TenantId } from '../core/ids.ts';
import type { Query } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { instant, integer, json, oneOf, type RowOf, table, tenantId, text } from '../db/table.ts';
import { policyDocument } from './policy-document.ts';

const policies = table('kernel.egress_policies', {
  tenant: tenantId,
  version: integer,
  mode: oneOf('unsealed', 'sealed'),
  policy: json(policyDocument).nullable(),
  policyDigest: text.nullable(),
  reason: text.nullable(),
  changedBy: text,
  changedAt: instant,
  sealedAt: instant.nullable(),
  anchorDigest: text.nullable(),
  blockedReason: text.nullable(),
});

/** Egress policy of a tenant with its mode. */
export type EgressState = RowOf<typeof policies>;

export const find = (query: Query, tenant: TenantId): Promise<EgressState | undefined> =>
  policies.findWhere(query, 'find', sql`tenant = ${tenant}`);

/** Policies of every tenant. Role `landfall_system`. */
export const listAll = (query: Query): Promise<EgressState[]> => policies.listWhere(query, 'listAll', sql`true`);
