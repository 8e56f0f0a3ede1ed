import type { DomainHits, LaneAnswer, LaneFilters, LaneHit, LaneQuery } from '../fts/lane.ts';
import type { RankedLane } from './fusion.ts';
import type { Intent, Wish } from './intent.ts';

/** What a wish found. */
export interface Granted {
  readonly wish: Wish;
  readonly answer: LaneAnswer;
}

/** Beside the best domain's: what is as it was asked for goes before what only has the words. */
const WEIGHTS: Readonly<Record<Wish['name'], number>> = {
  severity: 2,
  ecosystem: 2,
  exploited: 2,
  waiting: 2,
  kind: 1,
  release: 0.9,
};
/** What has few of the words is hardly what was wished for. */
const COVERAGE_POWER = 3;
/** Nearly all: coverage is a sum of weights. */
const COMPLETE = 0.99;

/** What is asked of the index for a wish; nothing where the reader has set the same filter otherwise. */
const queryOf = (query: LaneQuery, wish: Wish): LaneQuery | undefined => {
  const given: LaneFilters = query.filters ?? {};
  const isSet = wish.filters.severity ? given.severity : wish.filters.ecosystem ? given.ecosystem : given.entityType;
  if (isSet) return undefined;
  const filters = { ...wish.filters, ...definedOf(given) };
  return { tenant: query.tenant, text: wish.text, filters, limit: query.limit, isListing: wish.text === '' };
};

const definedOf = (filters: LaneFilters): LaneFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

/** Asks the index for what a question wishes for. */
export const grant = (
  search: (query: LaneQuery) => Promise<LaneAnswer>,
  query: LaneQuery,
  { wishes }: Intent,
): Promise<Granted[]> =>
  Promise.all(
    wishes.flatMap((wish) => {
      const asked = queryOf(query, wish);
      return asked ? [search(asked).then((answer) => ({ wish, answer }))] : [];
    }),
  );

const byWorth = (one: LaneHit, other: LaneHit): number => other.score * other.coverage - one.score * one.coverage;

/** Where all the words are needed, what has them. */
const kept = ({ isComplete }: Wish, { domain, hits }: DomainHits): DomainHits => ({
  domain,
  hits: isComplete ? hits.filter(({ coverage }) => coverage >= COMPLETE) : hits,
});

/** What was wished for as lists that take part, one a domain. */
export const wishedLanes = (granted: readonly Granted[]): RankedLane[] =>
  granted.flatMap(({ wish, answer }) => {
    return answer.domains.flatMap((found): RankedLane[] => {
      const { domain, hits } = kept(wish, found);
      const sorted = hits.toSorted(byWorth);
      const [best] = sorted;
      const weight = WEIGHTS[wish.name] * (best?.coverage ?? 0) ** COVERAGE_POWER;
      return best ? [{ lane: wish.name, domain, weight, hits: sorted }] : [];
    });
  });

/**
 * The answer to a question that is nothing but a wish: what is so, and what bears the name; no text that merely has the words.
 */
export const wholeAnswer = (answer: LaneAnswer, granted: readonly Granted[]): LaneAnswer => {
  const whole = granted.filter(({ wish }) => wish.isWhole);
  const [only] = whole;
  if (!only || whole.length < granted.length || granted.length > 1) return answer;
  if (only.answer.domains.every((found) => kept(only.wish, found).hits.length === 0)) return answer;
  return { ...answer, domains: [], facets: only.answer.facets };
};
