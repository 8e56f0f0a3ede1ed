import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Statement, subjectDigests } from '../signature/statement.ts';
import { type Finding, failed, passed, skipped } from './finding.ts';

const landing = Type.Object({
  deploymentId: Type.String(),
  releaseId: Type.String(),
  environment: Type.Object({ id: Type.String() }),
  targets: Type.Array(
    Type.Object({
      targetId: Type.String(),
      component: Type.String(),
      gatedDigest: Type.String(),
      observedDigest: Type.String(),
    }),
  ),
});

/** Fields of a landing's statement (proofs 6.1) that database rows record too. */
export type Landing = Static<typeof landing>;

const validator = Compile(landing);

/** Expectations of a statement. Absent fields are not compared. */
export interface Expected {
  /** Subject that must be among the statement's: `sha256:` and 64 hex digits. */
  readonly subjectDigest?: string | undefined;
  /** All of the statement's subjects, in any order. */
  readonly subjectDigests?: readonly string[] | undefined;
  readonly predicateType?: string | undefined;
  readonly deploymentId?: string | undefined;
  /** Complete predicate. */
  readonly predicate?: unknown;
  /** Deployment as recorded in its rows, independent of the statement. */
  readonly landing?: Landing | undefined;
  /** Whether a timestamp is required, because there was one before. */
  readonly isTimestamped?: boolean | undefined;
}

const noStatement = failed('statement-malformed', 'the payload is no in-toto Statement v1');

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  canonicalJson([...new Set(left)].sort()) === canonicalJson([...new Set(right)].sort());

/** Checks that the statement is about the expected subjects (proofs 6.5, item 7). */
export const checkSubject = (statement: Statement | undefined, expected: Expected): Finding => {
  if (!statement) return noStatement;
  const { subjectDigest, subjectDigests: requested } = expected;
  if (subjectDigest === undefined && requested === undefined)
    return skipped('subject-unknown', 'nothing says which subject is expected');
  const found = subjectDigests(statement);
  if (subjectDigest !== undefined && !found.includes(subjectDigest))
    return failed('subject-differs', `${subjectDigest} is not among the subjects`);
  return requested === undefined || isSame(found, requested)
    ? passed
    : failed('subject-differs', 'the subjects are not those of the deed that it names');
};

/** Canonical text of a landing: equal rows give equal text. */
const textOf = ({ deploymentId, releaseId, environment, targets }: Landing): string =>
  canonicalJson({
    deploymentId,
    releaseId,
    environment: environment.id,
    targets: targets
      .map(({ targetId, component, gatedDigest, observedDigest }) =>
        canonicalJson([targetId, component, gatedDigest, observedDigest]),
      )
      .sort(),
  });

const isOf = (predicate: unknown, recorded: Landing): boolean =>
  validator.Check(predicate) && textOf(predicate) === textOf(recorded);

/** Checks the statement's predicate against the expected values. */
export const checkPredicate = (statement: Statement | undefined, expected: Expected): Finding => {
  if (!statement) return noStatement;
  const { predicateType, predicate, deploymentId, landing: recorded } = expected;
  if ([predicateType, deploymentId, predicate, recorded].every((each) => each === undefined))
    return skipped('predicate-unknown', 'nothing says which predicate is expected');
  if (predicateType !== undefined && statement.predicateType !== predicateType)
    return failed('predicate-type-differs', `the predicate is of type ${statement.predicateType}`);
  if (deploymentId !== undefined && statement.predicate?.deploymentId !== deploymentId)
    return failed('deployment-differs', `it is not about deployment ${deploymentId}`);
  if (recorded && !isOf(statement.predicate, recorded))
    return failed('deployment-differs', `it does not say what is recorded of deployment ${recorded.deploymentId}`);
  return predicate === undefined || canonicalJson(statement.predicate ?? {}) === canonicalJson(predicate)
    ? passed
    : failed('predicate-differs', 'it does not say what was recorded of the deed');
};
