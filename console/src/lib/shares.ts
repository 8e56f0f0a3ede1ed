import type { Param } from './url-state.ts';

/** The steps of a canary from their words, `10, 50, 100`: whole, ascending, at most ten, the last one 100. */
export function sharesOf(words: string): readonly number[] | undefined {
  const shares = words
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  const ascends = shares.every((share, at) => Number.isInteger(share) && share > (shares[at - 1] ?? 0));
  return ascends && shares.length <= MOST && shares.at(-1) === 100 ? shares : undefined;
}

const MOST = 10;

/** Steps as they are written, in the URL too. */
export const sharesWords = (shares: readonly number[]): string => shares.join(',');

/** The steps of a canary as a parameter of the URL. */
export const shares: Param<string> = {
  read: (raw) => {
    const found = typeof raw === 'string' || typeof raw === 'number' ? sharesOf(String(raw)) : undefined;
    return found === undefined ? undefined : sharesWords(found);
  },
};
