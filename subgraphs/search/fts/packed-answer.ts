import type { Domain } from '../shared/domains.ts';
import type { DomainHits, LaneAnswer, LaneHit } from './lane.ts';

/** Answer in the form that crosses threads: one number array and one text, which structured clone copies fast. */
export interface PackedAnswer extends Pick<LaneAnswer, 'words' | 'facets' | 'elapsedMs'> {
  /** Lists of hits: exact ones first, then domains. */
  readonly lists: readonly { readonly domain: Domain; readonly isExact: boolean; readonly count: number }[];
  /** For each hit: number, score, coverage, count of others, and these. */
  readonly numbers: Float64Array;
  /** Entity keys separated by NUL, which no key contains. */
  readonly entityKeys: string;
}

const FIELDS = 4;
const SEPARATOR = '\0';

const sizeOf = (lists: readonly DomainHits[]): number => {
  let size = 0;
  for (const { hits } of lists) for (const { others } of hits) size += FIELDS + others.length;
  return size;
};

export const packAnswer = ({ exact, domains, words, facets, elapsedMs }: LaneAnswer): PackedAnswer => {
  const all = [...exact, ...domains];
  const numbers = new Float64Array(sizeOf(all));
  const keys: string[] = [];
  let index = 0;
  for (const { hits } of all)
    for (const { number, entityKey, score, coverage, others } of hits) {
      numbers[index++] = number;
      numbers[index++] = score;
      numbers[index++] = coverage;
      numbers[index++] = others.length;
      for (const other of others) numbers[index++] = other;
      keys.push(entityKey);
    }
  const lists = all.map(({ domain, hits }, segment) => ({
    domain,
    isExact: segment < exact.length,
    count: hits.length,
  }));
  return { lists, numbers, entityKeys: keys.join(SEPARATOR), words, facets, elapsedMs: elapsedMs };
};

const NO_OTHERS: readonly number[] = [];

export const unpackAnswer = ({ lists, numbers, entityKeys, words, facets, elapsedMs }: PackedAnswer): LaneAnswer => {
  const keys = entityKeys.split(SEPARATOR);
  let index = 0;
  let hit = 0;
  const next = (): LaneHit => {
    const number = numbers[index] ?? 0;
    const score = numbers[index + 1] ?? 0;
    const coverage = numbers[index + 2] ?? 0;
    const count = numbers[index + 3] ?? 0;
    index += FIELDS + count;
    const others = count === 0 ? NO_OTHERS : [...numbers.subarray(index - count, index)];
    return { number, entityKey: keys[hit++] ?? '', score, coverage, others };
  };
  const read = lists.map(({ domain, isExact, count }) => ({
    isExact,
    found: { domain, hits: Array.from({ length: count }, next) },
  }));
  return {
    exact: read.filter(({ isExact }) => isExact).map(({ found }) => found),
    domains: read.filter(({ isExact }) => !isExact).map(({ found }) => found),
    words,
    facets,
    elapsedMs: elapsedMs,
  };
};
