import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, listIn, present, textIn, textsIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';

type Product = FactsOf<'Product'>;

const settingsIn = (data: Data): Partial<Product> =>
  present({
    description: textIn(data, 'description'),
    ownerGroups: data.ownerGroups === undefined ? undefined : textsIn(data, 'ownerGroups'),
    components: data.components === undefined ? undefined : listIn(data, 'components').map(({ name }) => String(name)),
  });

/** Folds a product event; the path of a product is the environments of its steps. */
export const foldProduct = (entities: EntityIndex, { type, entityId: id, data, at }: Event): void => {
  // A product that was there before products had events is known from its first change on.
  if (type === 'product.create' || (entities.find('Product', id) === undefined && textIn(data, 'name') !== undefined))
    entities.set('Product', id, {
      name: textIn(data, 'name') ?? id,
      ownerGroups: [],
      components: [],
      path: [],
      ...settingsIn(data),
      at: at.toISOString(),
    });
  if (type === 'product.update') entities.change('Product', id, () => settingsIn(data));
  if (type === 'product.setPath')
    entities.change('Product', id, () => ({
      path: listIn(data, 'steps').map((step) => textIn(step, 'environmentId') ?? ''),
    }));
  if (type === 'product.remove') entities.remove('Product', id);
};
