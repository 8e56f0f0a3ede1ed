/** Claims of the specification's rows against a run of the tests. */
import type { Claim } from './trace.ts';

export interface RanTest {
  /** From the root of the repository. */
  readonly file: string;
  /** Line of its call, counted from 1. */
  readonly line: number;
  readonly name: string;
  /** False where it failed, was skipped or is still to be done. */
  readonly isPassed: boolean;
}

/** File whose calls of `test` replay golden files, in every run mode. */
const REPLAYS = 'rest-compat/testing/golden-files.ts';

const goldenName = (path: string): string | undefined => /\/golden\/(.+)\.http$/.exec(path)?.[1];

/** Tests that a claim speaks of: those at the first line at or below it, or the replays of its golden file. */
const testsOf = ({ path, line }: Claim, tests: readonly RanTest[]): readonly RanTest[] => {
  const golden = goldenName(path);
  if (golden !== undefined) return tests.filter(({ file, name }) => file === REPLAYS && name === golden);
  const below = tests.filter((test) => test.file === path && test.line >= line);
  const first = Math.min(...below.map((test) => test.line));
  return below.filter((test) => test.line === first);
};

/** Whether the run could have proved a claim: it held its file, or the one that replays golden files. */
const isIn = ({ path }: Claim, files: ReadonlySet<string>): boolean =>
  files.has(path) || (goldenName(path) !== undefined && files.has(REPLAYS));

/** Claims of executed files whose tests did not all run and pass, a line each. */
export const unprovedClaims = (claims: readonly Claim[], tests: readonly RanTest[]): string[] => {
  const latest = [...new Map(tests.map((test) => [`${test.file}:${test.line}:${test.name}`, test])).values()];
  const files = new Set(latest.map(({ file }) => file));
  return claims
    .filter((claim) => isIn(claim, files))
    .filter((claim) => {
      const own = testsOf(claim, latest);
      return own.length === 0 || !own.every(({ isPassed }) => isPassed);
    })
    .map(({ id, path, line }) => `${path}:${line} claims ${id}, and its test did not run and pass`);
};
