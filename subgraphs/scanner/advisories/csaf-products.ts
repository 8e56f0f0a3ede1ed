import { type Fields, fields, objects, textOf, textsOf } from './document-fields.ts';
import { hashOf, referenceOf } from './vex-reference.ts';
import type { VexProduct } from './vex-statement.ts';

/** Branches below branches; real trees have three to six. */
const DEEPEST = 64;

const productOf = (product: Fields): VexProduct => {
  const helper = fields(product.product_identification_helper);
  const hashes = objects(helper.hashes).flatMap(({ file_hashes }) => objects(file_hashes));
  const reference = referenceOf({
    names: [textOf(helper.purl), ...textsOf(helper.purls), textOf(product.name), textOf(product.product_id)],
    hashes: hashes.map(({ algorithm, value }) => hashOf(textOf(algorithm), textOf(value))),
  });
  return { ...reference, name: textOf(product.name) ?? reference.name, subcomponents: [] };
};

const isMatchable = ({ purl, hashes }: VexProduct): boolean => purl !== null || hashes.length > 0;

/** A component of a product. A platform is often a CPE alone; then the package URL of the component says which one it is. */
const related = (own: VexProduct, component: VexProduct | undefined, platform: VexProduct | undefined): VexProduct => {
  if (isMatchable(own) || component === undefined) return own;
  const { subcomponents: _, ...reference } = component;
  if (platform !== undefined && isMatchable(platform))
    return { ...platform, name: own.name, subcomponents: [reference] };
  return { ...component, name: own.name };
};

/** Products of a CSAF product tree by id: branches, full names, relationships (CSAF 2.0, 3.2.2). */
export const productsOf = (tree: Fields): ReadonlyMap<string, VexProduct> => {
  const products = new Map<string, VexProduct>();
  const add = (value: unknown): void => {
    const id = textOf(fields(value).product_id);
    if (id !== null) products.set(id, productOf(fields(value)));
  };
  const walk = (branches: unknown, depth: number): void => {
    if (depth > DEEPEST) return;
    for (const branch of objects(branches)) {
      add(branch.product);
      walk(branch.branches, depth + 1);
    }
  };
  walk(tree.branches, 0);
  objects(tree.full_product_names).forEach(add);
  for (const relation of objects(tree.relationships)) {
    const name = fields(relation.full_product_name);
    const id = textOf(name.product_id);
    const [component, platform] = [relation.product_reference, relation.relates_to_product_reference].map((reference) =>
      products.get(textOf(reference) ?? ''),
    );
    if (id !== null) products.set(id, related(productOf(name), component, platform));
  }
  return products;
};

/** Ids of products by the id of their group (CSAF 2.0, 3.2.2.2). */
export const groupsOf = (tree: Fields): ReadonlyMap<string, readonly string[]> =>
  new Map(objects(tree.product_groups).map((group) => [textOf(group.group_id) ?? '', textsOf(group.product_ids)]));
