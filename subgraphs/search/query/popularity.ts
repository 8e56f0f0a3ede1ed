import type { FusedHit } from './rank-fusion.ts';

const LANE = 'popularity';

/** Boost by clicks (spec 8). */
export const boostOf = (clicks: number, weight: number): number => Math.log2(1 + clicks) * weight;

/** Adds the boost and sorts anew; hits without clicks are unchanged. @param clicks by entity key */
export const boosted = (hits: readonly FusedHit[], clicks: ReadonlyMap<string, number>, weight: number): FusedHit[] => {
  const ranked = hits
    .filter(({ entityKey }) => (clicks.get(entityKey) ?? 0) > 0)
    .sort((one, other) => (clicks.get(other.entityKey) ?? 0) - (clicks.get(one.entityKey) ?? 0))
    .map(({ entityKey }) => entityKey);
  const ranks = new Map(ranked.map((entityKey, index) => [entityKey, index + 1]));
  return hits
    .map((hit): FusedHit => {
      const rank = ranks.get(hit.entityKey);
      if (rank === undefined) return hit;
      const contribution = boostOf(clicks.get(hit.entityKey) ?? 0, weight);
      const reason = [...hit.why, { lane: LANE, rank, contribution }];
      return {
        ...hit,
        score: hit.score + contribution,
        why: reason.sort((one, other) => other.contribution - one.contribution),
      };
    })
    .sort((one, other) => other.score - one.score || (one.entityKey < other.entityKey ? -1 : 1));
};
