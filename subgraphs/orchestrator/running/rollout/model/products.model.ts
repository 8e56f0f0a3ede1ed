import { type Code, type Declared, isLive, type Model, type Product } from './entities.model.ts';

export const createProduct = (model: Model, name: string, components: readonly Declared[] | null): Code => {
  if (model.products.some((each) => each.name === name && isLive(each))) return 'RES_ALREADY_EXISTS';
  model.products.push({ id: '', name, isRemoved: false, components, path: null });
  return undefined;
};

export const declare = (product: Product, components: readonly Declared[] | null): Code => {
  if (product.isRemoved) return 'RES_NOT_FOUND';
  product.components = components;
  return undefined;
};

export const removeProduct = (model: Model, product: Product): Code => {
  if (product.isRemoved) return 'RES_NOT_FOUND';
  if (model.targets.some((target) => target.product === product && isLive(target))) return 'RES_CONFLICT';
  product.isRemoved = true;
  return undefined;
};
