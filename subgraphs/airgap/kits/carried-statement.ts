import type { Statement } from '@landfall/attestation/signature/statement';
import { subjectDigests } from '@landfall/attestation/signature/statement';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ReleaseDocument } from './release-document.ts';

const SUMMARY_TYPE = 'https://slsa.dev/verification_summary/v1';
const APPROVAL_TYPE = /^https:\/\/[^/]+\/predicates\/approval@v1$/;

export const CARRIED_KINDS = ['approval', 'policy', 'other'] as const;

const named = Type.Object({ id: Type.String(), name: Type.String() });

export const approvalSchema = Type.Object({
  actor: Type.String(),
  at: Type.String(),
  comment: Type.Optional(Type.String()),
});

const approvalPredicate = Compile(
  Type.Object({
    environment: named,
    approvals: Type.Array(approvalSchema, { minItems: 1 }),
  }),
);

const summaryPredicate = Compile(
  Type.Object({
    policy: Type.Object({
      digest: Type.Object({ sha256: Type.String() }),
      /** Policy in base64; statements that were made before have none. */
      content: Type.Optional(Type.String()),
    }),
    resourceUri: Type.String(),
    timeVerified: Type.String(),
    verificationResult: Type.Literal('PASSED'),
  }),
);

/** Names of a release in a predicate, of which every kind of statement has some. */
const releaseNames = Compile(
  Type.Object({
    release: Type.Optional(
      Type.Object({ id: Type.Optional(Type.String()), name: Type.String(), semver: Type.String() }),
    ),
    releaseId: Type.Optional(Type.String()),
    resourceUri: Type.Optional(Type.String()),
  }),
);

const RESOURCE = /\/environments\/([^/]+)\/releases\/([^/]+)$/;

const anyEnvironment = Compile(Type.Object({ environment: named }));

/** Facts of a statement that came with a release, as the site shows them. */
export interface CarriedFacts {
  readonly kind: (typeof CARRIED_KINDS)[number];
  readonly environmentId: string | null;
  readonly approvals: readonly Static<typeof approvalSchema>[];
  /** Canonical JSON of the policy that applied; null where the statement has only its hash. */
  readonly policy: string | null;
  readonly policyDigest: string | null;
  /** Time at which the gates decided. */
  readonly decidedAt: string | null;
}

const NO_FACTS: CarriedFacts = {
  ...{ kind: 'other', environmentId: null, approvals: [], policy: null, policyDigest: null, decidedAt: null },
};

/**
 * Whether a statement is about exactly the images of a release and names no other one: releases can share their images.
 * Kits that were built before have no id to compare.
 */
const isAbout = (statement: Statement, { images, releaseId, product, semver }: ReleaseDocument): boolean => {
  const own = new Set<string>(images.map(({ digest }) => digest));
  const found = new Set(subjectDigests(statement));
  const { predicate } = statement;
  if (own.size !== found.size || !own.isSubsetOf(found) || !releaseNames.Check(predicate)) return false;
  const { release = { name: product, semver } } = predicate;
  if (release.name !== product || release.semver !== semver) return false;
  const inUri = RESOURCE.exec(predicate.resourceUri ?? '')?.[2];
  const ids = [predicate.release?.id, predicate.releaseId, inUri].filter((id) => id !== undefined);
  return releaseId === undefined || (ids.length > 0 && ids.every((id) => id === releaseId));
};

const approvalFacts = (predicate: unknown): CarriedFacts | string => {
  if (!approvalPredicate.Check(predicate)) return 'it is no statement of approvals';
  const { environment, approvals } = predicate;
  return { ...NO_FACTS, kind: 'approval', environmentId: environment.id, approvals };
};

const policyFacts = (predicate: unknown): CarriedFacts | string => {
  if (!summaryPredicate.Check(predicate)) return 'it states no decision of gates that passed';
  const { policy, resourceUri, timeVerified: decidedAt } = predicate;
  const policyDigest = `sha256:${policy.digest.sha256}`;
  const content = policy.content === undefined ? null : Buffer.from(policy.content, 'base64');
  if (content && sha256(content) !== policyDigest) return 'its policy has another hash than it says';
  const [, environmentId = null] = RESOURCE.exec(resourceUri) ?? [];
  return { ...NO_FACTS, kind: 'policy', environmentId, policy: content?.toString() ?? null, policyDigest, decidedAt };
};

/** Facts of a verified statement, or the problem of one that is not about this release. */
export const carriedFacts = (statement: Statement, release: ReleaseDocument): CarriedFacts | string => {
  const { predicateType, predicate } = statement;
  if (!isAbout(statement, release)) return 'it is about another release';
  if (APPROVAL_TYPE.test(predicateType)) return approvalFacts(predicate);
  return predicateType === SUMMARY_TYPE ? policyFacts(predicate) : NO_FACTS;
};

/** Environment that a statement names, for those that have only its id. */
export const environmentIn = ({ predicate }: Statement): Static<typeof named> | undefined =>
  anyEnvironment.Check(predicate) ? predicate.environment : undefined;

/** Problem of the lists of a release, which name its approvals and policies, all of them; undefined where they agree. */
export const listProblem = (
  { approvals, policies }: ReleaseDocument,
  facts: ReadonlyMap<string, CarriedFacts>,
): string | undefined => {
  const foreign = approvals?.find((path) => facts.get(path)?.kind !== 'approval');
  if (foreign !== undefined) return `${foreign} is no approval of the kit`;
  const wrong = policies?.find(({ statement, policy }) => {
    const found = facts.get(statement);
    return found?.kind !== 'policy' || (policy !== null && sha256(canonicalJson(policy)) !== found.policyDigest);
  });
  if (wrong) return `the policy of ${wrong.statement} is not the one that its statement names`;
  const lists = { approval: approvals, policy: policies?.map(({ statement }) => statement), other: undefined };
  const unlisted = [...facts].find(([path, { kind }]) => lists[kind]?.includes(path) === false);
  return unlisted && `${unlisted[0]} is not in its list`;
};
