/** Pseudo-random choices, equal for equal seeds (mulberry32). */
export const createChoices = (start: number) => {
  let state = start >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  const maybe = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
  return {
    below,
    maybe,
    one: <T>(items: readonly T[]): T => {
      const item = maybe(items);
      if (item === undefined) throw new RangeError('nothing to choose from');
      return item;
    },
    /** Chooses one of the last items, which most often still have something to do. */
    recent: <T>(items: readonly T[], count = 6): T | undefined => maybe(below(4) === 0 ? items : items.slice(-count)),
    some: <T>(items: readonly T[]): T[] => items.filter(() => below(2) === 0),
    once: (times: number): boolean => below(times) === 0,
  };
};

export type Choices = ReturnType<typeof createChoices>;
