import * as attestations from '@landfall/attestation/statements/attestations.store';
import type { Who } from '@landfall/kernel/core/caller';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import * as agents from '../../catalogue/agents/agent.ts';
import * as environments from '../../catalogue/environments/environment.ts';
import * as releases from '../../catalogue/releases/release.ts';
import * as promotions from '../../deciding/promotions/promotion.ts';
import type { Deployment } from '../../running/deployments/deployment.ts';
import * as deploymentTargets from '../../running/deployments/deployment-target.ts';
import * as store from './attestable-events.store.ts';
import * as imageScans from './image-scans.store.ts';
import {
  createStatements,
  digestOf,
  type LandedTarget,
  type ObservedTarget,
  type ScannedComponent,
  type Statement,
  type Subject,
} from './statements.ts';

type Release = releases.Release;
type Environment = environments.Environment;
type Promotion = promotions.Promotion;
type Row = deploymentTargets.DeploymentTarget;

const subjectsOf = ({ components }: Release): Subject[] =>
  components.flatMap(({ name, digest }) => (digest === null ? [] : [{ name, digest }]));

const approvalsOf = ({ approvals, gatedDigestSet }: Promotion) =>
  approvals.filter((each) => each.decision === 'approved' && each.gatedDigestSet === gatedDigestSet);

/** SHA-256 of a PEM key's SPKI, in hex. */
const fingerprintOf = (pem: string): string =>
  sha256Hex(Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64'));

/** Subject of an evidence statement. Evidence is only ever added, so its count identifies the set. */
const evidenceSubject = ({ id, evidence }: Release): string => `${id}/${evidence.length}`;

/** Newest scans of a release's images: of a component's image, or of one of its platforms. */
const scansOf = async (tx: Tx, { tenant }: Who, { components }: Release): Promise<ScannedComponent[]> => {
  const images = components.flatMap(({ name, digest, platforms }) =>
    digest === null ? [] : [{ name, digests: [digest, ...platforms.map((platform) => platform.digest)] }],
  );
  const scans = await imageScans.listByImages(
    tx,
    tenant,
    images.flatMap(({ digests }) => digests),
  );
  return images.flatMap(({ name, digests }) =>
    scans.filter(({ imageDigest }) => digests.includes(imageDigest)).map((scan) => ({ component: name, ...scan })),
  );
};

/** Promotion rules of an environment, as a statement records them. */
const rulesOf = (environment: Environment) => ({
  requiredApprovals: environment.requiredApprovals,
  separationOfDuties: environment.separationOfDuties,
  requiredEvidence: environment.requiredEvidence.toSorted(),
  analysis: environment.analysis,
});

const passed = (isRequested: boolean): string => (isRequested ? 'pass' : 'skipped');

/** Gates that a deployment passed, as a statement records them. */
const gatesOf = (
  { plan, acknowledged }: Deployment,
  { approvalsNeeded }: Promotion,
  { requiredEvidence }: Environment,
) => [
  { name: 'approval', outcome: passed(approvalsNeeded > 0) },
  { name: 'evidence', outcome: passed(requiredEvidence.length > 0) },
  { name: 'preflight', outcome: 'pass' },
  // Unknown at launch, and launched by a person who had seen that.
  ...acknowledged.map((key) => ({ name: `preflight/${key}`, outcome: 'acknowledged' })),
  ...plan.phases.flatMap(({ index, gate }) =>
    gate === null || index === plan.phases.length - 1 ? [] : [{ name: `phase-${index + 1}/${gate}`, outcome: 'pass' }],
  ),
];

interface ObservedState {
  readonly agents: readonly agents.Agent[];
  readonly ends: readonly { readonly targetId: string; readonly at: Date }[];
  readonly completedAt: Date;
}

const targetsOf = (rows: readonly Row[], { agents: known, ends, completedAt }: ObservedState): LandedTarget[] =>
  rows.flatMap(({ targetId, agentId, landing }) =>
    (landing?.components ?? []).flatMap(({ name, gatedDigest, manifestDigest, observedDigest }) =>
      manifestDigest === null || observedDigest === null
        ? []
        : [
            {
              targetId,
              component: name,
              agentSpiffe: known.find(({ id }) => id === agentId)?.spiffeId ?? null,
              gatedDigest,
              reportedDigest: manifestDigest,
              observedDigest,
              at: ends.find((end) => end.targetId === targetId)?.at ?? completedAt,
            },
          ],
    ),
  );

/** Promotion with its release and environment. */
interface Case {
  readonly promotion: Promotion;
  readonly release: Release;
  readonly environment: Environment;
}

type About = Omit<attestations.NewAttestation, 'id' | 'payload' | 'predicateType'>;

const aboutOf = (
  kind: About['kind'],
  subjectId: string,
  releaseId: About['releaseId'],
  environmentId: About['environmentId'],
  extent: number,
): About => ({ kind, subjectId, releaseId, environmentId, deploymentId: null, extent });

const aboutDeployment = (kind: About['kind'], { id, releaseId, environmentId }: Deployment, extent: number): About => ({
  ...aboutOf(kind, id, releaseId, environmentId, extent),
  deploymentId: id,
});

export type StatementOutbox = ReturnType<typeof createStatementOutbox>;

/** Creates the outbox of statements, each written in the transaction of the event that it states. */
export const createStatementOutbox = ({ ids }: { readonly ids: Ids }, platformDomain: string) => {
  const statements = createStatements(platformDomain);

  const write = (tx: Tx, caller: Who, about: About, { predicateType, payload }: Statement): Promise<number> =>
    attestations.insert(tx, caller.tenant, { ...about, id: toId(ids.uuid(), 'Attestation'), predicateType, payload });

  /** States the approvals of a promotion, unless it needs none. */
  const approved = async (tx: Tx, caller: Who, { promotion, release, environment }: Case): Promise<void> => {
    const approvals = approvalsOf(promotion);
    if (approvals.length === 0) return;
    const about = aboutOf('approval', promotion.id, release.id, environment.id, approvals.length);
    const { id: promotionId, requestedBy, gatedDigestSet } = promotion;
    const facts = { subjects: subjectsOf(release), promotionId, requestedBy, gatedDigestSet };
    await write(tx, caller, about, statements.approval({ ...facts, release, environment, approvals }));
  };

  /** States the newest scans of a release's images, once for the same scans. */
  const scanned = async (tx: Tx, caller: Who, release: Release): Promise<void> => {
    const scans = await scansOf(tx, caller, release);
    if (scans.length === 0 || release.gatedDigestSet === null) return;
    const { predicateType, payload } = statements.scan({ subjects: subjectsOf(release), release, scans });
    const extent = new Set(scans.map(({ component }) => component)).size;
    const about = aboutOf('scan', `${release.id}/${sha256Hex(payload)}`, release.id, null, extent);
    await write(tx, caller, about, { predicateType, payload });
  };

  /** States the evidence of a release when it becomes ready, and the scans of its images, if it has any. */
  const ready = async (tx: Tx, caller: Who, release: Release): Promise<void> => {
    await scanned(tx, caller, release);
    const { evidence, gatedDigestSet } = release;
    if (evidence.length === 0 || gatedDigestSet === null) return;
    const about = aboutOf('evidence', evidenceSubject(release), release.id, null, evidence.length);
    const subjects = subjectsOf(release);
    await write(tx, caller, about, statements.evidence({ subjects, release, gatedDigestSet, evidence }));
  };

  /** States at launch that the environment's gates admitted the release. */
  const launched = async (tx: Tx, caller: Who, about: Case, deployment: Deployment): Promise<void> => {
    const { promotion, release, environment } = about;
    // A retried promotion and late evidence have no statements yet.
    await approved(tx, caller, about);
    await ready(tx, caller, release);
    const inputs = [
      await attestations.findBySubject(tx, caller.tenant, 'approval', promotion.id),
      await attestations.findBySubject(tx, caller.tenant, 'evidence', evidenceSubject(release)),
    ].flatMap((input) => (input ? [{ ref: input.id, digest: input.payloadDigest }] : []));
    const created = statements.summary({
      subjects: subjectsOf(release),
      releaseId: release.id,
      environmentId: environment.id,
      verifiedAt: deployment.createdAt,
      rules: rulesOf(environment),
      inputs,
    });
    await write(tx, caller, aboutDeployment('verification_summary', deployment, inputs.length), created);
  };

  const caseOf = async (tx: Tx, caller: Who, deployment: Deployment): Promise<Case> => {
    const promotion = await promotions.find(tx, caller.tenant, deployment.promotionId);
    const release = await releases.find(tx, caller.tenant, deployment.releaseId);
    const environment = await environments.find(tx, caller.tenant, deployment.environmentId);
    if (!promotion || !release || !environment)
      throw new TypeError(`deployment ${deployment.id} refers to what is not there`);
    return { promotion, release, environment };
  };

  /** States a completed deployment whose targets are all verified. */
  const landed = async (tx: Tx, caller: Who, deployment: Deployment): Promise<void> => {
    const { id, releaseId, startedAt, completedAt } = deployment;
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [id]);
    const [first] = rows;
    const isVerified = rows.every(({ landing }) => landing?.verdict === 'verified');
    if (!first || !isVerified || !completedAt) return;
    const about = await caseOf(tx, caller, deployment);
    const { promotion, release, environment } = about;
    const agentIds = rows.flatMap(({ agentId }) => agentId ?? []);
    const known = await agents.listByIds(tx, caller.tenant, [...new Set(agentIds)]);
    const ends = await store.listEnds(tx, caller.tenant, id);
    const found = await store.listPreflight(tx, caller.tenant, id, first.targetId);
    const created = statements.deployment({
      subjects: subjectsOf(release),
      deploymentId: id,
      releaseId,
      environment,
      strategy: deployment.strategy,
      startedAt: startedAt ?? deployment.createdAt,
      completedAt,
      targets: targetsOf(rows, { agents: known, ends, completedAt }),
      approvals: approvalsOf(promotion),
      policy: { preflightDigest: digestOf(found), gates: gatesOf(deployment, promotion, environment) },
      evidence: [
        ...release.evidence,
        ...(await scansOf(tx, caller, release)).map(({ rootHash: digest }) => ({ type: 'score_proof', digest })),
      ],
      previousDeploymentId: deployment.previousDeploymentId,
      agentKeys: known.map(({ publicKey }) => fingerprintOf(publicKey)),
    });
    await write(tx, caller, aboutDeployment('deployment', deployment, rows.length), created);
  };

  /** States that agents observed the landed release on every target. */
  const observed = async (
    tx: Tx,
    caller: Who,
    deployment: Deployment,
    targets: readonly ObservedTarget[],
  ): Promise<void> => {
    const { id, releaseId, completedAt } = deployment;
    if (!completedAt) return;
    const { release, environment } = await caseOf(tx, caller, deployment);
    const facts = { subjects: subjectsOf(release), deploymentId: id, releaseId, environment, completedAt, targets };
    const extent = new Set(targets.map(({ targetId }) => targetId)).size;
    await write(tx, caller, aboutDeployment('observation', deployment, extent), statements.observation(facts));
  };

  return { approved, scanned, ready, launched, landed, observed };
};
