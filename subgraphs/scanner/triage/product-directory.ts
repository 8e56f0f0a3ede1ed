import type { ProductDirectory } from '@landfall/kernel/module';

/** Image and a product with a release of it. */
export type ProductImage = Awaited<ReturnType<ProductDirectory['productsOfImages']>>[number];

/** Directory of an installation without products. */
export const NO_PRODUCTS: ProductDirectory = { exists: async () => false, productsOfImages: async () => [] };
