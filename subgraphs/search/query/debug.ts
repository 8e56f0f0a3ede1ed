import type { DomainHits, LaneAnswer } from '../fts/lane.ts';
import type { Intent } from './intent.ts';

const MAX_ENVIRONMENTS = 10;

const countsByDomain = (found: readonly DomainHits[]) =>
  found.map(({ domain, hits }) => ({
    domain,
    found: hits.length,
    hits: hits.slice(0, MAX_ENVIRONMENTS).map(({ entityKey, score, coverage }, index) => ({
      rank: index + 1,
      entityKey,
      score,
      coverage,
    })),
  }));

/** Interpretation of the query, and results by domain before fusion. */
export const debugOf = ({ words, exact, domains, elapsedMs }: LaneAnswer) => ({
  words,
  exact: countsByDomain(exact),
  domains: countsByDomain(domains),
  laneMs: elapsedMs,
});

/** Intent of the query under the names that `includeDebug` documents. */
export const debugOfIntent = ({ refinements: wishes, ...intent }: Intent) => ({ ...intent, wishes });
