import Type, { type Static } from 'typebox';
import { closed, compareBytes, count, refuse } from './document.ts';
import type { Policy } from './policy.ts';
import { MILLION, multiply } from './ppm.ts';

/** Coverage of a scan in components; each is in exactly one of the four counts beside `components` (proofs 2.4). */
export const coverageSchema = Type.Object(
  { badVersion: count, components: count, evaluated: count, noPurl: count, unknownEcosystem: count },
  closed,
);

export type Coverage = Static<typeof coverageSchema>;

/** Checks a scan's coverage against the number of its findings. Throws InvalidDocument. */
export const checkCoverage = (coverage: Coverage, findings: number): void => {
  const { badVersion, components, evaluated, noPurl, unknownEcosystem } = coverage;
  if (badVersion + evaluated + noPurl + unknownEcosystem !== components)
    refuse('coverage-sum', `The parts of the coverage do not sum to ${components} components.`);
  if (evaluated === 0 && findings > 0)
    refuse('coverage-findings', 'There are findings, and no component was evaluated.');
};

/** Status of a scan. One of which no component was evaluated has no score, which is not a score of 0. */
export const statusOf = ({ components, evaluated }: Coverage): 'scored' | 'notEvaluated' =>
  evaluated === 0 && components > 0 ? 'notEvaluated' : 'scored';

/** Score of a finding, by its id. */
export interface ScoredFinding {
  readonly findingId: string;
  readonly score: number;
}

/** Orders findings by score, the highest first, then by id. */
export const rankFindings = (findings: readonly ScoredFinding[]): ScoredFinding[] =>
  findings.toSorted((a, b) => b.score - a.score || compareBytes(a.findingId, b.findingId));

/**
 * Combines ranked scores to one in ppm: the first counts in full, each further one by `share`. Adding a finding never
 * lowers the result.
 */
export const combineScores = (ranked: readonly ScoredFinding[], share: number): number =>
  MILLION -
  ranked.reduce(
    (rest, { score }, at) => multiply(rest, MILLION - (at === 0 ? score : multiply(score, share))),
    MILLION,
  );

/** Score of a scan. `score` and `tail` are null when it was not evaluated. */
export interface ScanScore {
  /** Ids of the findings that count, the highest score first. */
  readonly order: readonly string[];
  readonly score: number | null;
  /** Part of the score that the findings after the first add. */
  readonly tail: number | null;
  /** Id of the first finding; null without findings. */
  readonly top: string | null;
}

/** Scores a scan from the scores of its vulnerability findings, in any order (proofs 2.4). */
export const scoreScan = (findings: readonly ScoredFinding[], coverage: Coverage, { tail }: Policy): ScanScore => {
  const counted = rankFindings(findings).slice(0, tail.max);
  const [first] = counted;
  const order = counted.map(({ findingId }) => findingId);
  if (statusOf(coverage) === 'notEvaluated') return { order, score: null, tail: null, top: first?.findingId ?? null };
  const score = combineScores(counted, tail.share);
  return { order, score, tail: score - (first?.score ?? 0), top: first?.findingId ?? null };
};
