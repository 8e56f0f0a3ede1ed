import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import { labelsInput, labelsOf } from '../../shared/labels.ts';
import { reads } from '../../shared/scopes.ts';
import * as store from './portfolio.store.ts';

/** Limit of products in a portfolio. */
const MAX_PRODUCTS = 1_000;

export interface Portfolio {
  /** Environments of the tenant, in order. */
  readonly environments: readonly environments.Environment[];
  readonly rows: readonly PortfolioRow[];
}

export interface PortfolioRow {
  readonly product: products.Product;
  /** Cells of the product's path, in the order of the environments. */
  readonly cells: readonly store.PortfolioCell[];
}

/** Creates the operation that reads all products with what runs in each environment of their paths. */
export const createPortfolio = ({ operation }: Pick<Deps, 'operation'>) => ({
  get: operation({
    name: 'product.portfolio',
    cost: 200,
    kind: 'read',
    scope: reads,
    input: Type.Object({
      ownerGroup: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      labels: Type.Optional(labelsInput),
    }),
    example: { ownerGroup: 'payments' },
    async run(who, { ownerGroup, labels = [] }, query): Promise<Portfolio> {
      const wanted = { ownerGroup: ownerGroup ?? null, labels: labelsOf(labels) };
      const filter = { labels: wanted.labels, ...(ownerGroup !== undefined && { ownerGroup }) };
      const found = await products.list(query, who.tenant, filter, { limit: MAX_PRODUCTS });
      const cells = Map.groupBy(await store.listCells(query, who.tenant, wanted), ({ productId }) => productId);
      return {
        environments: await environments.list(query, who.tenant),
        rows: found.map((product) => ({ product, cells: cells.get(product.id) ?? [] })),
      };
    },
  }),
});
