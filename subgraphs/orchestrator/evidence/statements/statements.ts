import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const SUMMARY_TYPE = 'https://slsa.dev/verification_summary/v1';
const SLSA_VERSION = '1.0';
/** SLSA level in the gates' statement: gates check digests, approvals and evidence, not how an image was built. */
const UNEVALUATED = 'SLSA_BUILD_LEVEL_UNEVALUATED';

/** Digest as text: `sha256:` and 64 hex digits. */
type Digest = string;

/** Component with its gated digest. */
export interface Subject {
  readonly name: string;
  readonly digest: Digest;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface ReleaseName extends Named {
  readonly semver: string;
}

interface Evidence {
  readonly type: string;
  readonly digest: Digest;
}

interface Approval {
  readonly actor: string;
  readonly at: Date;
}

/** Result of one component on one target. */
export interface LandedTarget {
  readonly targetId: string;
  readonly component: string;
  /** SPIFFE id of the agent; null if the agent was deleted. */
  readonly agentSpiffe: string | null;
  readonly gatedDigest: Digest;
  /** Digest of the document that the agent fetched and hashed. */
  readonly reportedDigest: Digest;
  /** Digest that the agent read back from the running process. */
  readonly observedDigest: Digest;
  readonly at: Date;
}

export interface DeploymentFacts {
  readonly subjects: readonly Subject[];
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly environment: Named;
  readonly strategy: string;
  readonly startedAt: Date;
  readonly completedAt: Date;
  readonly targets: readonly LandedTarget[];
  readonly approvals: readonly Approval[];
  readonly policy: {
    readonly preflightDigest: Digest;
    readonly gates: readonly { readonly name: string; readonly outcome: string }[];
  };
  readonly evidence: readonly Evidence[];
  readonly previousDeploymentId: string | null;
  /** SHA-256 of the agents' SPKI, in hex. */
  readonly agentKeys: readonly string[];
}

export interface ApprovalFacts {
  readonly subjects: readonly Subject[];
  readonly promotionId: string;
  readonly requestedBy: string;
  readonly release: ReleaseName;
  readonly environment: Named;
  readonly gatedDigestSet: Digest;
  readonly approvals: readonly (Approval & { readonly comment: string | null })[];
}

export interface SummaryFacts {
  readonly subjects: readonly Subject[];
  readonly releaseId: string;
  readonly environmentId: string;
  readonly verifiedAt: Date;
  /** Environment rules at the time of the decision. */
  readonly rules: Readonly<Record<string, unknown>>;
  /** Attestations of the platform that the decision rests on. */
  readonly inputs: readonly { readonly ref: string; readonly digest: Digest }[];
}

export interface EvidenceFacts {
  readonly subjects: readonly Subject[];
  readonly release: ReleaseName;
  readonly gatedDigestSet: Digest;
  readonly evidence: readonly (Evidence & { readonly recordedAt: Date })[];
}

/** Completed scan of a component's image. */
export interface ScannedComponent {
  readonly component: string;
  readonly imageDigest: Digest;
  readonly scanId: string;
  /** Root of the ledger that proves the score. */
  readonly rootHash: Digest;
  /** Score in millionths; null where no component of the image could be evaluated. */
  readonly scorePpm: number | null;
  readonly completedAt: Date;
}

export interface ScanFacts {
  readonly subjects: readonly Subject[];
  readonly release: ReleaseName;
  readonly scans: readonly ScannedComponent[];
}

export interface ObservedTarget extends Omit<LandedTarget, 'reportedDigest'> {}

export interface ObservationFacts {
  readonly subjects: readonly Subject[];
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly environment: Named;
  readonly completedAt: Date;
  readonly targets: readonly ObservedTarget[];
}

/** A statement and the bytes that are signed. */
export interface Statement {
  readonly predicateType: string;
  /** Canonical JSON (RFC 8785), UTF-8. */
  readonly payload: Buffer;
}

/** Orders text by its UTF-8 bytes, so that no locale influences what is signed. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const by =
  <T>(...keys: readonly ((item: T) => string)[]) =>
  (a: T, b: T): number => {
    for (const key of keys) {
      const order = compare(key(a), key(b));
      if (order !== 0) return order;
    }
    return 0;
  };

/** Formats a time as RFC 3339 with whole seconds. */
const seconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const hexOf = (digest: Digest): string => digest.replace(/^sha256:/, '');

/** SHA-256 of a value's canonical JSON, as a digest. */
export const digestOf = (value: unknown): Digest => sha256(canonicalJson(value));

const statement = (predicateType: string, subjects: readonly Subject[], predicate: unknown): Statement => ({
  predicateType,
  payload: Buffer.from(
    canonicalJson({
      _type: STATEMENT_TYPE,
      subject: subjects
        .toSorted(
          by(
            ({ name }) => name,
            ({ digest }) => digest,
          ),
        )
        .map(({ name, digest }) => ({ name, digest: { sha256: hexOf(digest) } })),
      predicateType,
      predicate,
    }),
  ),
});

const byTarget = by<{ readonly targetId: string; readonly component: string }>(
  ({ targetId }) => targetId,
  ({ component }) => component,
);

const byScan = by<ScannedComponent>(
  ({ component }) => component,
  ({ imageDigest }) => imageDigest,
);

const byGate = by<{ readonly name: string; readonly outcome: string }>(
  ({ name }) => name,
  ({ outcome }) => outcome,
);

const evidenceOf = <E extends Evidence>(evidence: readonly E[]): E[] =>
  evidence.toSorted(
    by(
      ({ type }) => type,
      ({ digest }) => digest,
    ),
  );

const approvalsOf = <A extends Approval>(approvals: readonly A[]): A[] =>
  approvals.toSorted((a, b) => a.at.getTime() - b.at.getTime() || compare(a.actor, b.actor));

/** Creates the builders of in-toto statements, which give the same bytes for the same facts in any order. */
export const createStatements = (platformDomain: string) => {
  const type = (name: string): string => `https://${platformDomain}/predicates/${name}@v1`;
  const environmentUri = (id: string): string => `https://${platformDomain}/environments/${id}`;
  const types = {
    deployment: type('deployment'),
    verification_summary: SUMMARY_TYPE,
    approval: type('approval'),
    evidence: type('evidence'),
    observation: type('observation'),
    scan: type('scan'),
  } as const;
  return {
    /** The predicate type of each kind of statement. */
    types,

    /** States that a release landed, every component verified on every target (proofs 6.1). */
    deployment: (facts: DeploymentFacts): Statement =>
      statement(types.deployment, facts.subjects, {
        deploymentId: facts.deploymentId,
        releaseId: facts.releaseId,
        environment: { id: facts.environment.id, name: facts.environment.name },
        strategy: facts.strategy,
        startedAt: seconds(facts.startedAt),
        completedAt: seconds(facts.completedAt),
        targets: facts.targets.toSorted(byTarget).map((target) => ({
          targetId: target.targetId,
          component: target.component,
          agentSpiffe: target.agentSpiffe,
          gatedDigest: target.gatedDigest,
          reportedDigest: target.reportedDigest,
          observedDigest: target.observedDigest,
          at: seconds(target.at),
          verdict: 'verified',
        })),
        approvals: approvalsOf(facts.approvals).map(({ actor, at }) => ({ actor, at: seconds(at) })),
        policy: {
          preflightDigest: facts.policy.preflightDigest,
          gates: facts.policy.gates.toSorted(byGate).map(({ name, outcome }) => ({ name, outcome })),
        },
        evidence: evidenceOf(facts.evidence).map(({ type: kind, digest }) => ({ type: kind, sha256: hexOf(digest) })),
        previousDeploymentId: facts.previousDeploymentId,
        agentKeys: [...new Set(facts.agentKeys)].toSorted(compare),
      }),

    /** Builds the in-toto statement of the approvals of a digest set for an environment. */
    approval: (facts: ApprovalFacts): Statement =>
      statement(types.approval, facts.subjects, {
        promotion: { id: facts.promotionId, requestedBy: facts.requestedBy },
        release: { id: facts.release.id, name: facts.release.name, semver: facts.release.semver },
        environment: { id: facts.environment.id, name: facts.environment.name },
        gatedDigestSet: facts.gatedDigestSet,
        approvals: approvalsOf(facts.approvals).map(({ actor, at, comment }) => ({
          actor,
          at: seconds(at),
          comment: comment ?? undefined,
        })),
      }),

    /** States that the environment's gates let a release through at its launch (SLSA verification summary v1). */
    summary: (facts: SummaryFacts): Statement => {
      const rules = Buffer.from(canonicalJson(facts.rules));
      return statement(types.verification_summary, facts.subjects, {
        verifier: { id: `https://${platformDomain}/verifiers/promotion` },
        timeVerified: seconds(facts.verifiedAt),
        resourceUri: `${environmentUri(facts.environmentId)}/releases/${facts.releaseId}`,
        policy: {
          uri: `${environmentUri(facts.environmentId)}/rules`,
          digest: { sha256: hexOf(sha256(rules)) },
          mediaType: 'application/json',
          // The rules change; whoever has only the statement reads what applied (in-toto resource descriptor).
          content: rules.toString('base64'),
        },
        inputAttestations: facts.inputs.toSorted(by(({ digest }) => digest)).map(({ ref, digest }) => ({
          uri: `https://${platformDomain}/attestations/${ref}`,
          digest: { sha256: hexOf(digest) },
        })),
        verificationResult: 'PASSED',
        verifiedLevels: [UNEVALUATED],
        slsaVersion: SLSA_VERSION,
      });
    },

    /** States the evidence that a release had when it became ready, by digest. */
    evidence: (facts: EvidenceFacts): Statement =>
      statement(types.evidence, facts.subjects, {
        release: { id: facts.release.id, name: facts.release.name, semver: facts.release.semver },
        gatedDigestSet: facts.gatedDigestSet,
        evidence: evidenceOf(facts.evidence).map(({ type: kind, digest, recordedAt }) => ({
          type: kind,
          sha256: hexOf(digest),
          recordedAt: seconds(recordedAt),
        })),
      }),

    /** States that images of a release were scanned, with the root that proves each score at its completion. */
    scan: (facts: ScanFacts): Statement =>
      statement(types.scan, facts.subjects, {
        release: { id: facts.release.id, name: facts.release.name, semver: facts.release.semver },
        scans: facts.scans.toSorted(byScan).map((scan) => ({
          component: scan.component,
          imageDigest: scan.imageDigest,
          scanId: scan.scanId,
          rootHash: scan.rootHash,
          scorePpm: scan.scorePpm,
          completedAt: seconds(scan.completedAt),
        })),
      }),

    /** States that agents observed a landed release running on every target. */
    observation: (facts: ObservationFacts): Statement =>
      statement(types.observation, facts.subjects, {
        deploymentId: facts.deploymentId,
        releaseId: facts.releaseId,
        environment: { id: facts.environment.id, name: facts.environment.name },
        completedAt: seconds(facts.completedAt),
        targets: facts.targets.toSorted(byTarget).map((target) => ({
          targetId: target.targetId,
          component: target.component,
          agentSpiffe: target.agentSpiffe,
          gatedDigest: target.gatedDigest,
          observedDigest: target.observedDigest,
          at: seconds(target.at),
        })),
      }),
  };
};
