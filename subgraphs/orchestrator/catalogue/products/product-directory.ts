import type { ProductDirectory } from '@landfall/kernel/module';
import { hasProducts, isProduct, listOfImages } from './product-images.store.ts';

/** Products and their images for other modules, in every role: it reads the tables on the connection of its caller. */
export const productDirectory: ProductDirectory = {
  exists: async (query, tenant, productId) => (await hasProducts(query)) && isProduct(query, tenant, productId),
  productsOfImages: async (query, tenant, digests) =>
    (await hasProducts(query)) ? listOfImages(query, tenant, digests) : [],
};
