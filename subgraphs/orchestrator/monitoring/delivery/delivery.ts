import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { EnvironmentId } from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import { reads } from '../../shared/scopes.ts';
import * as store from './delivery.store.ts';

/** Limit of the days that are measured. */
const MAX_DAYS = 365;

/** Delivery metrics of a product (DORA) in the last steps of its path. */
export interface DeliveryMetrics extends store.MetricsRow {
  readonly days: number;
  readonly lastSteps: readonly EnvironmentId[];
}

/** Creates the operation that measures how a product is delivered. */
export const createDelivery = ({ operation }: Pick<Deps, 'operation'>) => ({
  measure: operation({
    name: 'product.measureDelivery',
    cost: 50,
    kind: 'read',
    scope: reads,
    input: Type.Object({
      id: idOf('Product'),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('Product'), days: 30 },
    async run(caller, { id, days = 30 }, query): Promise<DeliveryMetrics> {
      await products.get(query, caller.tenant, id);
      const entries = await products.listPathEntriesOf(query, caller.tenant, id);
      const lastSteps = products.lastEnvironments(entries).map((environment) => environment.id);
      const scope = { productId: id, environmentIds: lastSteps, days };
      return { days, lastSteps, ...(await store.measure(query, caller.tenant, scope)) };
    },
  }),
});
