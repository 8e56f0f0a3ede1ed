import type { Orchestrator } from '@landfall/orchestrator';

type Release = Awaited<ReturnType<Orchestrator['releases']['get']>>;
type Deployment = Awaited<ReturnType<Orchestrator['deployments']['get']>>;
type DeploymentTarget = Deployment['targets'][number];
type Anatomy = NonNullable<Deployment['anatomy']>;
type Landing = NonNullable<DeploymentTarget['landing']>;
type PreflightReport = Awaited<ReturnType<Orchestrator['deployments']['preflight']>>;
type EstateStatus = Awaited<ReturnType<Orchestrator['estate']['status']>>;
type EstateComponent = Awaited<ReturnType<Orchestrator['estate']['drift']>>['items'][number];
type DigestLocations = Awaited<ReturnType<Orchestrator['estate']['digest']>>;
type Preview = Awaited<ReturnType<Orchestrator['deployments']['previewPlan']>>;

// The order of the fields is the order of the bytes (rulings, "Exact shapes").

/** `in_progress` as `InProgress` (rulings 30 and 57). */
const wireWord = (word: string): string => word.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

const anatomyView = (anatomy: Anatomy) => ({
  stage: anatomy.stage,
  category: anatomy.category,
  reason: anatomy.reason,
  plainReason: anatomy.plainReason,
  detail: anatomy.detail,
  action: anatomy.action,
  actionPath: anatomy.actionPath,
  retryable: anatomy.retryable,
});

const anatomyOrNull = (anatomy: Anatomy | null) => anatomy && anatomyView(anatomy);

const landingView = (landing: Landing) => ({
  verdict: landing.verdict,
  gatedDigest: landing.gatedDigest,
  manifestDigest: landing.manifestDigest,
  observedDigest: landing.observedDigest,
  components: landing.components.map(({ name, verdict, gatedDigest, manifestDigest, observedDigest }) => ({
    name,
    verdict,
    gatedDigest,
    manifestDigest,
    observedDigest,
  })),
});

const targetView = ({ targetId, name, phaseIndex, state, anatomy, landing }: DeploymentTarget) => ({
  targetId,
  name,
  phaseIndex,
  status: wireWord(state),
  error: anatomy?.plainReason ?? null,
  failureAnatomy: anatomyOrNull(anatomy),
  landing: landing && landingView(landing),
});

/** The deployment DTO of spec 4.9. `deploymentAttestationRef` is absent while nothing is attested (rulings 29). */
export const deploymentView = (deployment: Deployment) => ({
  id: deployment.id,
  releaseId: deployment.releaseId,
  promotionId: deployment.promotionId,
  environmentId: deployment.environmentId,
  kind: deployment.kind,
  strategy: deployment.strategy,
  status: wireWord(deployment.state),
  failureReason: deployment.anatomy?.plainReason ?? null,
  failureAnatomy: anatomyOrNull(deployment.anatomy),
  landingVerification: deployment.landing,
  ...(deployment.attestationRef !== null && { deploymentAttestationRef: deployment.attestationRef }),
  phases: deployment.phases.map(({ index, targetCount, kind, status }) => ({
    index,
    targetCount,
    kind,
    status: wireWord(status),
  })),
  targets: deployment.targets.map(targetView),
  createdAt: instant(deployment.createdAt),
  startedAt: instant(deployment.startedAt),
  completedAt: instant(deployment.completedAt),
  version: deployment.version,
});

export const releaseView = (release: Release) => ({
  id: release.id,
  name: release.name,
  semver: release.semver,
  status: release.status,
  hold: release.hold && {
    reason: release.hold.reason,
    since: instant(release.hold.since),
    actor: release.hold.actor,
  },
  gatedDigestSet: release.gatedDigestSet,
  components: release.components.map((component) => ({
    name: component.name,
    repository: component.repository,
    requestedTag: component.requestedTag,
    digest: component.digest,
    mediaType: component.mediaType,
    platforms: component.platforms.map(({ platform, digest }) => ({ platform, digest })),
    dependsOn: component.dependsOn,
  })),
  evidenceRefs: release.evidence.map(({ type, digest }) => ({ type, sha256: digest })),
  notes: release.notes,
  createdAt: instant(release.createdAt),
  createdBy: release.createdBy,
  finalizedAt: instant(release.finalizedAt),
  version: release.version,
});

/** PreflightReport of spec 2.10. */
export const preflightView = (report: PreflightReport) => ({
  releaseId: report.releaseId,
  environment: report.environment,
  armed: report.armed,
  hasHardFail: report.hasHardFail,
  failedCheckKeys: report.failedCheckKeys,
  checks: report.checks.map(({ key, title, status, detail, anatomy }) => ({
    key,
    title,
    status,
    detail,
    anatomy: anatomyOrNull(anatomy),
  })),
});

/** Strategy plan preview of spec 2.10. */
export const planView = (preview: Preview) =>
  'cannotPreview' in preview
    ? { cannotPreview: true, reason: preview.reason }
    : {
        strategy: preview.strategy,
        requestedStrategy: preview.requestedStrategy,
        targetCount: preview.targetCount,
        phases: preview.phases.map(({ index, targetCount, kind }) => ({ index, targetCount, kind })),
        effectiveBehaviour: preview.effectiveBehaviour,
        caveats: preview.caveats,
      };

/** Estate status of spec 2.10. */
export const estateStatusView = (status: EstateStatus) => ({
  deployedComponents: status.deployedComponents,
  drift: {
    total: status.total,
    drift: status.drift,
    inSync: status.inSync,
    unobserved: status.unobserved,
    observingAgents: status.observingAgents,
  },
  deviations: { count: status.deviations },
});

/** `in_sync` as `inSync` (spec 3). */
const stateWord = (state: EstateComponent['state']): string => (state === 'in_sync' ? 'inSync' : state);

export const driftView = ({ deviation, ...component }: EstateComponent) => ({
  environmentId: component.environmentId,
  targetId: component.targetId,
  component: component.component,
  state: stateWord(component.state),
  approvedDigest: component.approvedDigest,
  observedDigest: component.observedDigest,
  observedAt: instant(component.observedAt),
  deviation: deviation && {
    id: deviation.id,
    owner: deviation.owner,
    reason: deviation.reason,
    expiresAt: instant(deviation.expiresAt),
  },
});

export const digestView = ({ digest, locations, releases }: DigestLocations) => ({
  digest,
  locations: locations.map(({ environmentId, targetId, component, state, observedAt }) => ({
    environmentId,
    targetId,
    component,
    state: stateWord(state),
    observedAt: instant(observedAt),
  })),
  releases: releases.map(({ id, name, semver }) => ({ id, name, semver })),
});
