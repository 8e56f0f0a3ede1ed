import type { Candidate } from './search-peers.ts';
import { type BenchQuery, QUERY_CLASSES } from './search-queries.ts';

/** Number of results judged: one page. */
const PAGE = 10;

export interface Judgement {
  /** Mean reciprocal rank: mean of one over the rank of the first answer, zero if the page has none. */
  readonly mrr: number;
  readonly ndcg: number;
  /** Share of queries whose page contains an answer. */
  readonly recall: number;
  readonly queries: number;
}

interface Judged {
  readonly query: BenchQuery;
  /** Rank of the first answer from 1; undefined if the page has none. */
  readonly place: number | undefined;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const judgementOf = (judged: readonly Judged[]): Judgement => ({
  mrr: mean(judged.map(({ place: location }) => (location === undefined ? 0 : 1 / location))),
  // One relevant entity is enough for a query: the ideal gain is 1.
  ndcg: mean(judged.map(({ place: location }) => (location === undefined ? 0 : 1 / Math.log2(location + 1)))),
  recall: mean(judged.map(({ place: location }) => (location === undefined ? 0 : 1))),
  queries: judged.length,
});

/** Runs every query once and aggregates by class, and over all as `total`. */
export const judge = async (
  engine: Candidate,
  queries: readonly BenchQuery[],
): Promise<ReadonlyMap<string, Judgement>> => {
  const judged: Judged[] = [];
  for (const query of queries) {
    const found = await engine.search(query.text, PAGE);
    const at = found.findIndex((key) => query.answers.has(key));
    judged.push({ query, place: at < 0 ? undefined : at + 1 });
  }
  const classes = QUERY_CLASSES.map((kind) => [kind, judged.filter(({ query }) => query.kind === kind)] as const);
  return new Map([...classes, ['total', judged] as const].map(([kind, some]) => [kind, judgementOf(some)]));
};

/** Upper bound of ranking by words: a query whose words several entities share can only be guessed. */
export const upperBoundOf = (queries: readonly BenchQuery[]): number =>
  mean(
    queries.map(({ bearers }) => {
      const reciprocalRanks = Array.from({ length: bearers }, (_, index) => 1 / (index + 1));
      return mean(reciprocalRanks);
    }),
  );
