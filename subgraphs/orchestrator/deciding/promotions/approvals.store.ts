import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { decisions } from '../../shared/enums.ts';

const approvals = table('orchestrator.promotion_approvals', {
  promotionId: id('Promotion'),
  actor: text,
  /** Clients that held the actor's token, the last one first; null for decisions made before these were recorded. */
  givenThrough: textArray.nullable(),
  decision: oneOf(...decisions),
  comment: text.nullable(),
  gatedDigestSet: text,
  at: instant,
});

/** Decision of one person, bound to the digest set that was approved or rejected. */
export type Approval = RowOf<typeof approvals>;

/** Lists the decisions on these promotions, oldest first. */
export const listOf = (query: Query, tenant: TenantId, promotions: readonly Id<'Promotion'>[]) =>
  approvals.listWhere(
    query,
    'listOf',
    sql`tenant = ${tenant} and promotion_id = any(${promotions}::uuid[])
    order by at, actor`,
  );

/** Records a decision; a rejection replaces the same person's earlier approval. */
export const record = (tx: Tx, tenant: TenantId, values: Omit<Approval, 'at'>) =>
  tx.run(sql`/* orchestrator.promotion_approvals.record */
    insert into orchestrator.promotion_approvals (tenant, promotion_id, actor, given_through, decision, comment,
      gated_digest_set)
    values (${tenant}, ${values.promotionId}, ${values.actor}, ${values.givenThrough}, ${values.decision}, ${values.comment},
      ${values.gatedDigestSet})
    on conflict (tenant, promotion_id, actor) do update
      set given_through = excluded.given_through, decision = excluded.decision, comment = excluded.comment,
        gated_digest_set = excluded.gated_digest_set, at = kernel.now()`);

/** Copies the approvals of one promotion to another with the same digests. */
export const copy = (tx: Tx, tenant: TenantId, from: Id<'Promotion'>, to: Id<'Promotion'>) =>
  tx.run(sql`/* orchestrator.promotion_approvals.copy */
    insert into orchestrator.promotion_approvals (tenant, promotion_id, actor, given_through, decision, comment,
      gated_digest_set, at)
    select tenant, ${to}::uuid, actor, given_through, decision, comment, gated_digest_set, at
    from orchestrator.promotion_approvals
    where tenant = ${tenant} and promotion_id = ${from} and decision = 'approved'`);
