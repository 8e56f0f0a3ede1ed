import type { TenantId } from '../core/ids.ts';
import { instant, integer, json, oneOf, tenantId, text } from '../db/columns.ts';
import type { Query, Tx } from '../db/query.ts';
import { jsonb, sql } from '../db/sql.ts';
import { type RowOf, table } from '../db/table.ts';
import { type PolicyDocument, policyDocument } from './policy-document.ts';

const policies = table(
  'kernel.egress_policies',
  {
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
  },
  { noun: 'egress policy of', key: 'tenant' },
);

/** Egress policy of a tenant with its mode. */
export type EgressState = RowOf<typeof policies>;

export const find = (query: Query, tenant: TenantId): Promise<EgressState | undefined> =>
  policies.findWhere(query, 'find', sql`tenant = ${tenant}`);

/** Policies of every tenant. Role `landfall_system`. */
export const listAll = (query: Query): Promise<EgressState[]> => policies.listWhere(query, 'listAll', sql`true`);

/** Locks the state of a tenant, also where it has none: the first policy is compared with none too. */
export const lock = async (tx: Tx, tenant: TenantId): Promise<EgressState | undefined> => {
  await tx.run(sql`/* kernel.egress_policies.lock */
    select pg_advisory_xact_lock(hashtextextended('kernel.egress_policies/' || ${tenant}::text, 0))`);
  return policies.findLocked(tx, tenant, tenant);
};

interface NewPolicy {
  readonly policy: PolicyDocument;
  readonly digest: string;
  readonly actor: string;
}

/** Sets the policy of a tenant whose state is locked, or that has none. */
export const setPolicy = (tx: Tx, tenant: TenantId, { policy, digest, actor }: NewPolicy): Promise<EgressState> =>
  tx.get(
    policies,
    sql`/* kernel.egress_policies.setPolicy */
    insert into kernel.egress_policies as p (tenant, policy, policy_digest, changed_by)
    values (${tenant}, ${jsonb(policy)}::jsonb, ${digest}, ${actor})
    on conflict (tenant) do update set policy = excluded.policy, policy_digest = excluded.policy_digest,
      changed_by = excluded.changed_by, changed_at = excluded.changed_at, version = p.version + 1
    returning ${policies.of('p')}`,
  );

interface Move {
  readonly mode: EgressState['mode'];
  readonly reason: string | null;
  readonly actor: string;
  readonly anchorDigest: string | null;
}

/** Seals or unseals a tenant that has a policy. */
export const move = (tx: Tx, tenant: TenantId, { mode, reason, actor, anchorDigest }: Move): Promise<EgressState> =>
  policies.update(tx, tenant, tenant, {
    mode,
    reason,
    changedBy: actor,
    changedAt: sql`kernel.now()`,
    sealedAt: mode === 'sealed' ? sql`kernel.now()` : null,
    anchorDigest,
    blockedReason: null,
  });

/** Sets why the start of a tenant that is sealed still was blocked, or clears it. @returns the number of states that changed */
export const setBlocked = (query: Query, tenant: TenantId, reason: string | null): Promise<number> =>
  query.run(sql`/* kernel.egress_policies.setBlocked */
    update kernel.egress_policies set blocked_reason = ${reason}
    where tenant = ${tenant} and blocked_reason is distinct from ${reason}
      and (mode = 'sealed' or ${reason}::text is null)`);
