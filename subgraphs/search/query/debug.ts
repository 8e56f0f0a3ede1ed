import type { DomainHits, LaneAnswer } from '../fts/lane.ts';
import type { Intent } from './intent.ts';

const MOST_PLACES = 10;

const places = (found: readonly DomainHits[]) =>
  found.map(({ domain, hits }) => ({
    domain,
    found: hits.length,
    hits: hits.slice(0, MOST_PLACES).map(({ entityKey, score, coverage }, at) => ({
      rank: at + 1,
      entityKey,
      score,
      coverage,
    })),
  }));

/** Interpretation of the query, and results by domain before fusion. */
export const debugOf = ({ words, exact, domains, tookMs }: LaneAnswer) => ({
  words,
  exact: places(exact),
  domains: places(domains),
  laneMs: tookMs,
});

/** The intent under the names that callers of `includeDebug` know. */
export const debugOfIntent = ({ refinements: wishes, ...intent }: Intent) => ({ ...intent, wishes });
