import { type StatementState, statementStates } from './statement-judgement.ts';

/** Image with the digests that statements about it may name. */
interface CoveredImage {
  /** Digest of the index or single manifest. */
  readonly digest: string;
  /** Digests of an index's platform manifests; empty for a single manifest. */
  readonly platforms: readonly string[];
}

interface Statement {
  readonly subject: string;
  readonly state: StatementState;
  readonly reason: string | null;
}

/** Coverage of an image by statements; the reason is null when it is proven. */
interface Coverage {
  readonly state: StatementState;
  readonly reason: string | null;
}

export const rankOf = (state: StatementState): number => statementStates.indexOf(state);

const EMPTY: Coverage = { state: 'missing', reason: 'no such statement is attached to the image' };

const best = (statements: readonly Statement[], digest: string): Coverage =>
  statements
    .filter(({ subject }) => subject === digest)
    .map(({ state, reason }): Coverage => ({ state, reason }))
    .reduce((one, other) => (one === EMPTY || rankOf(other.state) > rankOf(one.state) ? other : one), EMPTY);

const weaker = (one: Coverage, other: Coverage): Coverage => (rankOf(other.state) < rankOf(one.state) ? other : one);

/** Coverage of an image: the better of the index's own coverage and the weakest coverage among its platforms. */
export const coverageOf = ({ digest, platforms }: CoveredImage, statements: readonly Statement[]): Coverage => {
  const direct = best(statements, digest);
  const [first, ...others] = platforms.map((platform) => best(statements, platform));
  if (!first) return direct;
  const each = others.reduce(weaker, first);
  if (rankOf(each.state) > rankOf(direct.state)) return each;
  return direct === EMPTY ? each : direct;
};
