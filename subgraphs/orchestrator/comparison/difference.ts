/** Kind of a difference between two sides. `unknown`: the same tag of the same repository, not resolved on both sides. */
type ChangeKind = 'added' | 'removed' | 'changed' | 'unknown';

/** Named item that differs: its state on both sides, null where it is absent. */
export interface Change<Item> {
  readonly name: string;
  readonly kind: ChangeKind;
  readonly from: Item | null;
  readonly to: Item | null;
}

/** Differences by name, and the number of items that are the same on both sides. */
export interface Difference<Item> {
  readonly changes: readonly Change<Item>[];
  readonly unchanged: number;
}

interface Named {
  readonly name: string;
}

/** Image of a component, as far as it decides whether something changes. */
interface Image extends Named {
  readonly repository: string;
  readonly requestedTag: string | null;
  readonly digest: string | null;
}

interface Variable extends Named {
  readonly value: string | null;
  readonly secret: string | null;
}

/** Compares two lists of things with unique names. `kindOf` judges what is on both sides; undefined: unchanged. */
const differenceOf = <Item extends Named>(
  from: readonly Item[],
  to: readonly Item[],
  kindOf: (before: Item, after: Item) => 'changed' | 'unknown' | undefined,
): Difference<Item> => {
  const [before, after] = [from, to].map((items) => new Map(items.map((item) => [item.name, item])));
  const names = [...new Set([...from, ...to].map(({ name }) => name))].sort();
  const changes = names.flatMap((name): Change<Item>[] => {
    const [old = null, next = null] = [before?.get(name), after?.get(name)];
    if (!old) return [{ name, kind: 'added', from: null, to: next }];
    if (!next) return [{ name, kind: 'removed', from: old, to: null }];
    const kind = kindOf(old, next);
    return kind ? [{ name, kind, from: old, to: next }] : [];
  });
  return { changes, unchanged: names.length - changes.length };
};

/** The digest decides: another tag of the same image changes nothing. Without both digests it is what was requested. */
const imageChange = (before: Image, after: Image): 'changed' | 'unknown' | undefined => {
  if (before.repository !== after.repository) return 'changed';
  if (before.digest !== null && after.digest !== null) return before.digest === after.digest ? undefined : 'changed';
  return before.requestedTag === after.requestedTag ? 'unknown' : 'changed';
};

/** Compares the components of two releases. */
export const componentDifference = <Item extends Image>(from: readonly Item[], to: readonly Item[]): Difference<Item> =>
  differenceOf(from, to, imageChange);

/** Compares the variables of two sets; a secret by its reference, since its value is known to nobody here. */
export const variableDifference = (from: readonly Variable[], to: readonly Variable[]): Difference<Variable> =>
  differenceOf(from, to, (before, after) =>
    before.value === after.value && before.secret === after.secret ? undefined : 'changed',
  );

/** Compares types of evidence: those that only one of two releases has. */
export const typeDifference = <Type extends string>(from: readonly Type[], to: readonly Type[]) => ({
  added: [...new Set(to)].filter((type) => !from.includes(type)),
  removed: [...new Set(from)].filter((type) => !to.includes(type)),
});
