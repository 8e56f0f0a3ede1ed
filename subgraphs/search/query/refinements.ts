import type { DomainHits, LaneAnswer, LaneFilters, LaneHit, LaneQuery } from '../fts/lane.ts';
import type { Intent, Refinement } from './intent.ts';
import type { RankedLane } from './rank-fusion.ts';

interface RefinementResult {
  readonly refinement: Refinement;
  readonly answer: LaneAnswer;
}

/** Weights relative to the best domain. */
const WEIGHTS: Readonly<Record<Refinement['name'], number>> = {
  severity: 2,
  ecosystem: 2,
  exploited: 2,
  waiting: 2,
  kind: 1,
  release: 0.9,
};
const COVERAGE_POWER = 3;
/** Nearly all: coverage is a sum of weights. */
const COMPLETE = 0.99;

/** Query of a refinement; undefined where the caller set the same filter. */
const queryOf = (query: LaneQuery, refinement: Refinement): LaneQuery | undefined => {
  const ownFilters: LaneFilters = query.filters ?? {};
  const isSet = refinement.filters.severity
    ? ownFilters.severity
    : refinement.filters.ecosystem
      ? ownFilters.ecosystem
      : ownFilters.entityType;
  if (isSet) return undefined;
  const filters = { ...refinement.filters, ...definedOf(ownFilters) };
  return {
    tenant: query.tenant,
    text: refinement.text,
    filters,
    limit: query.limit,
    isListing: refinement.text === '',
  };
};

const definedOf = (filters: LaneFilters): LaneFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

/** Searches the index for the refinements of a question. */
export const searchRefinements = (
  search: (query: LaneQuery) => Promise<LaneAnswer>,
  query: LaneQuery,
  { refinements }: Intent,
): Promise<RefinementResult[]> =>
  Promise.all(
    refinements.flatMap((refinement) => {
      const words = queryOf(query, refinement);
      return words ? [search(words).then((answer) => ({ refinement, answer }))] : [];
    }),
  );

const byWorth = (one: LaneHit, other: LaneHit): number => other.score * other.coverage - one.score * one.coverage;

/** Hits with all words, where those are required. */
const completeHits = ({ isComplete }: Refinement, { domain, hits }: DomainHits): DomainHits => ({
  domain,
  hits: isComplete ? hits.filter(({ coverage }) => coverage >= COMPLETE) : hits,
});

/** Ranked lists of a refinement, one per domain. */
export const refinementLanes = (granted: readonly RefinementResult[]): RankedLane[] =>
  granted.flatMap(({ refinement, answer }) => {
    return answer.domains.flatMap((found): RankedLane[] => {
      const { domain, hits } = completeHits(refinement, found);
      const sorted = hits.toSorted(byWorth);
      const [best] = sorted;
      const weight = WEIGHTS[refinement.name] * (best?.coverage ?? 0) ** COVERAGE_POWER;
      return best ? [{ lane: refinement.name, domain, weight, hits: sorted }] : [];
    });
  });

/** Restricts an answer to a pure refinement to entities that satisfy it or bear the name, without mere word matches. */
export const wholeAnswer = (answer: LaneAnswer, granted: readonly RefinementResult[]): LaneAnswer => {
  const complete = granted.filter(({ refinement }) => refinement.isWhole);
  const [only] = complete;
  if (!only || complete.length < granted.length || granted.length > 1) return answer;
  if (only.answer.domains.every((found) => completeHits(only.refinement, found).hits.length === 0)) return answer;
  return { ...answer, domains: [], facets: only.answer.facets };
};
