import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import type { Product } from './products.store.ts';

/** Listener for changes of products: the sources that create their releases. Each call writes in the change's transaction. */
export interface ProductListener {
  /** Handles a product whose declared components changed. */
  onDeclared(tx: Tx, caller: Who, product: Product): Promise<void>;
  /** Handles a product that was removed. */
  onRemoved(tx: Tx, caller: Who, product: Product): Promise<void>;
}
