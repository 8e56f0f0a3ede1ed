/** Numbers that look drawn and are the same on every run of the same seed. */
export interface Random {
  /** From 0, below 1. */
  next(): number;
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  /** One of them, each as likely. @throws RangeError when there are none */
  pick<T>(items: readonly T[]): T;
}

/** Words of a seed to one number: FNV-1a. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

/** A Weyl sequence through a 32-bit finaliser: enough for drawing documents, nothing for secrets. */
export const randomOf = (seed: string): Random => {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick(items) {
      const found = items[below(items.length)];
      if (found === undefined) throw new RangeError('nothing to pick from');
      return found;
    },
  };
};

/** Some of the items, each drawn once, heavier ones sooner; in the order in which they were given. */
export const drawSome = <T>(random: Random, items: readonly T[], count: number, weightOf: (item: T) => number): T[] =>
  items
    .map((item, at) => ({ item, at, key: Math.log(1 - random.next()) / weightOf(item) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, count)
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
