import { documentBuilder } from './document-format.ts';
import { asSentence, environmentName, joinLines, joinWords } from './phrases.ts';

/** Builds the document of a product: its owner, its components, and the path of its releases. */
export const productDocument = documentBuilder('Product', 'graph', 'product', (product, entities) => {
  const { name, description, ownerGroups, components, labels = {}, path } = product;
  const names = path.map((id) => environmentName(entities, id));
  const body = joinLines(
    description === undefined || description === ''
      ? `Product ${name}.`
      : `Product ${name}: ${asSentence(description)}`,
    ownerGroups.length > 0 && `Owners: ${joinWords(ownerGroups)}.`,
    components.length > 0 && `Components: ${joinWords(components)}.`,
    Object.keys(labels).length > 0 &&
      `Labels: ${joinWords(Object.entries(labels).map(([key, value]) => `${key}=${value}`))}.`,
    names.length > 0 ? `Its path: ${names.join(', ')}.` : 'Its path is the environments of the tenant, in order.',
  );
  return {
    title: `Product ${name}`,
    body,
    identifiers: [name],
    attributes: { name, environments: names },
    at: product.at,
  };
});
