/** Pseudo-random numbers, equal for equal seeds. */
export interface Random {
  /** Number from 0 to below 1. */
  next(): number;
  /** Integer from 0 to below `limit`. */
  below(limit: number): number;
  /**
   * Picks an item with equal probability.
   * @throws RangeError for an empty list
   */
  pick<T>(items: readonly T[]): T;
}

/** Hashes a seed's text to a number: FNV-1a. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** Weyl sequence with a 32-bit finaliser: good enough for drawing documents, not for secrets. */
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

/** Draws items without repetition, preferring heavy ones; keeps their order. */
export const drawSome = <T>(random: Random, items: readonly T[], count: number, weightOf: (item: T) => number): T[] =>
  items
    .map((item, index) => ({ item, at: index, key: Math.log(1 - random.next()) / weightOf(item) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, count)
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
