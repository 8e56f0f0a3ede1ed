import type { Deps } from '@landfall/kernel/module';
import type { ProductListener } from '../../catalogue/products/ports.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { gatherUnreleased } from './gathering.ts';
import * as store from './sources.store.ts';

/** Creates the listener that gathers what a changed declaration allows, and removes the sources of a removed product. */
export const createProductListener = ({ ids }: Pick<Deps, 'ids'>): ProductListener => ({
  onDeclared: (tx, { tenant }, { id }) => gatherUnreleased(tx, tenant, ids, id),

  async onRemoved(tx, caller, product) {
    for (const source of await store.listByProducts(tx, caller.tenant, [product.id])) {
      await store.remove(tx, caller.tenant, source.id);
      const { component } = source;
      await publishEvent(tx, caller, 'source.remove', 'ReleaseSource', source, { product: product.id, component });
    }
  },
});
