import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const refused = table('orchestrator.refused_candidates', {
  id: id('RefusedCandidate'),
  productId: id('Product'),
  /** Null: the set as a whole. */
  component: text.nullable(),
  tag: text.nullable(),
  digest: text.nullable(),
  releaseId: id('Release').nullable(),
  code: text,
  reason: text,
  firstAt: instant,
  lastAt: instant,
  times: integer,
});

/** Image or set of images that became no release, with the reason. */
export type RefusedCandidate = RowOf<typeof refused>;

/** Number of refused candidates that are stored for a product. */
const MAX_REFUSED = 50;

/** Records why a candidate is refused; the same reason again counts. */
export const record = async (
  tx: Tx,
  tenant: TenantId,
  values: Pick<RefusedCandidate, 'id' | 'productId' | 'code' | 'reason'> &
    Partial<Pick<RefusedCandidate, 'component' | 'tag' | 'digest' | 'releaseId'>>,
): Promise<void> => {
  const { component = null, tag = null, digest = null, releaseId = null } = values;
  await tx.run(sql`/* orchestrator.refused_candidates.record */
    insert into orchestrator.refused_candidates as candidate
      (tenant, id, product_id, component, tag, digest, release_id, code, reason)
    values (${tenant}, ${values.id}, ${values.productId}, ${component}, ${tag}, ${digest}, ${releaseId}, ${values.code},
      ${values.reason})
    on conflict (tenant, product_id, hashtextextended(reason, 0)) do update set
      last_at = kernel.now(), times = candidate.times + 1, tag = excluded.tag, digest = excluded.digest,
      release_id = coalesce(excluded.release_id, candidate.release_id)`);
  await tx.run(sql`/* orchestrator.refused_candidates.prune */
    delete from orchestrator.refused_candidates
    where tenant = ${tenant} and product_id = ${values.productId} and id in (
      select id from orchestrator.refused_candidates
      where tenant = ${tenant} and product_id = ${values.productId}
      order by last_at desc, id desc offset ${MAX_REFUSED})`);
};

/** Lists the refused candidates of these products, newest first. */
export const listByProducts = (query: Query, tenant: TenantId, products: readonly Id<'Product'>[]) =>
  refused.listWhere(
    query,
    'listByProducts',
    sql`tenant = ${tenant} and product_id = any(${products}::uuid[]) order by last_at desc, id desc`,
  );
