import { systemCaller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { publishEvent } from '../../shared/publish-event.ts';
import * as steps from './path-steps.store.ts';
import * as store from './products.store.ts';

const ACTOR = 'orchestrator.productImport';
const BATCH = 50;
const POLL_MS = 60_000;

/**
 * Creates the worker that publishes products without an event, which the migration from a version without products
 * created: search knows products by their events alone.
 */
export const createProductImport = ({ database, ids, log }: Pick<Deps, 'database' | 'ids' | 'log'>) => {
  const publish = (tenant: TenantId, id: store.ProductId): Promise<void> =>
    database.write(tenant, async (tx) => {
      const product = await store.findLocked(tx, tenant, id);
      if ((await store.markPublished(tx, tenant, id)) === 0 || !product) return;
      const { name, description, ownerGroups, labels, components, hasOwnPath } = product;
      const path = hasOwnPath ? await steps.listByProducts(tx, tenant, [id]) : null;
      const caller = systemCaller(tenant, ACTOR, ids.uuid());
      const state = { name, description, ownerGroups, labels, components, steps: path };
      await publishEvent(tx, caller, 'product.import', 'Product', product, state);
    });

  /** Publishes products that have no event, and returns their number. */
  const turn = async (): Promise<number> => {
    const found = await database.system.write((tx) => store.listUnpublished(tx, BATCH));
    for (const { tenant, id } of found) await publish(tenant, id);
    return found.length;
  };

  return { turn, worker: pollingWorker({ name: ACTOR, pollMs: POLL_MS, log, turn }) };
};
