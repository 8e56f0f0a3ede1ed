import type { EventRowFragment, NotificationMatcherInput } from '../../generated/operations.ts';

type Attributes = EventRowFragment['attributes'];

/** Attributes that only links read, or that the columns of an event have already. */
const isHidden = (name: string): boolean => /Id$/.test(name) || ['path', 'url', 'severity', 'status'].includes(name);

/** Short facts of an event in one line: `shop · 1.4.0 · production`. */
export const attributeText = (attributes: Attributes): string =>
  attributes
    .filter(({ name }) => !isHidden(name))
    .map(({ value }) => value)
    .join(' · ');

export const attributeOf = (attributes: Attributes, name: string): string | undefined =>
  attributes.find((each) => each.name === name)?.value;

/** Facts by which events are of the same matter. */
const SAME = ['product', 'environment', 'target', 'channel'];

/** Matchers of the events that are like one: of its kind, and about the same things. */
export const matchersLike = ({
  kind,
  attributes,
}: Pick<EventRowFragment, 'kind' | 'attributes'>): NotificationMatcherInput[] => [
  { path: 'kind', op: 'EQ', values: [kind] },
  ...attributes
    .filter(({ name }) => SAME.includes(name))
    .map(({ name, value }) => ({ path: `attributes.${name}`, op: 'EQ' as const, values: [value] })),
];
