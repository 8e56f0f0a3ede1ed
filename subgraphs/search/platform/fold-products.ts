import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, dataIn, listIn, present, textIn, textsIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';

type Product = FactsOf<'Product'>;

const pathIn = (data: Data): string[] => listIn(data, 'steps').map((step) => textIn(step, 'environmentId') ?? '');

const wordsIn = (data: Data, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dataIn(data, name)).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );

/** Text, empty where the event says null: there is none any more. */
const textOrCleared = (data: Data, name: string): string | undefined => (data[name] === null ? '' : textIn(data, name));

const settingsIn = (data: Data): Partial<Product> =>
  present({
    description: textOrCleared(data, 'description'),
    ownerGroups: data.ownerGroups === undefined ? undefined : textsIn(data, 'ownerGroups'),
    components: data.components === undefined ? undefined : listIn(data, 'components').map(({ name }) => String(name)),
    labels: data.labels === undefined ? undefined : wordsIn(data, 'labels'),
    path: data.steps === undefined ? undefined : pathIn(data),
  });

/** Folds a product event; the path of a product is the environments of its steps. */
export const foldProduct = (entities: EntityIndex, { type, entityId: id, data, at }: Event): void => {
  // A product that was there before products had events is known from its import, or from its first change on.
  if (
    type === 'product.create' ||
    type === 'product.import' ||
    (entities.find('Product', id) === undefined && textIn(data, 'name') !== undefined)
  )
    entities.set('Product', id, {
      name: textIn(data, 'name') ?? id,
      ownerGroups: [],
      components: [],
      path: [],
      ...settingsIn(data),
      at: at.toISOString(),
    });
  if (type === 'product.update') entities.change('Product', id, () => settingsIn(data));
  if (type === 'product.setPath') entities.change('Product', id, () => ({ path: pathIn(data) }));
  if (type === 'product.remove') entities.remove('Product', id);
};
