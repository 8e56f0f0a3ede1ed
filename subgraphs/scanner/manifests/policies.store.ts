import type { TenantId } from '@landfall/kernel/core/ids';
import { instant, json, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { policySchema } from '../score/policy.ts';

const policies = table('scanner.policies', {
  id: text,
  version: text,
  policy: json(policySchema),
  publishedAt: instant,
});

export const { insertIfAbsent } = policies;

/** Newest policy of a tenant. */
export const findNewest = (query: Query, tenant: TenantId) =>
  policies.findWhere(query, 'findNewest', sql`tenant = ${tenant} order by published_at desc, version desc limit 1`);

/** Policies of a tenant, the newest first. */
export const listNewest = (query: Query, tenant: TenantId, limit: number) =>
  policies.listWhere(
    query,
    'listNewest',
    sql`tenant = ${tenant} order by published_at desc, version desc limit ${limit}`,
  );
