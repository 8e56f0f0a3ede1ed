import type { TenantId } from '@landfall/kernel/core/ids';
import { id, idArray, json, oneOf } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { labels } from '../../shared/labels.ts';
import type { PathStep } from './path.ts';
import type { ProductId } from './products.store.ts';
import { stepPolicy } from './step-policy.ts';

const steps = table('orchestrator.path_steps', {
  productId: id('Product'),
  environmentId: id('Environment'),
  after: idArray('Environment'),
  need: oneOf('all', 'any'),
  targetLabels: json(labels),
  policy: json(stepPolicy),
});

/** Lists the steps of these products; one without a path of its own has none. */
export const listByProducts = (query: Query, tenant: TenantId, products: readonly ProductId[]) =>
  steps.listWhere(
    query,
    'listByProducts',
    sql`tenant = ${tenant} and product_id = any(${products}::uuid[]) order by product_id, environment_id`,
  );

/** Replaces the steps of a product that this transaction has locked. */
export const replace = async (tx: Tx, tenant: TenantId, productId: ProductId, path: readonly PathStep[]) => {
  await steps.removeWhere(tx, 'removeAll', sql`tenant = ${tenant} and product_id = ${productId}`);
  for (const { environmentId, after, need, targetLabels, policy } of path)
    await steps.insert(tx, tenant, { productId, environmentId, after, need, targetLabels, policy });
};
