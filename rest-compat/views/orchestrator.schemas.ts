import Type from 'typebox';
import { count, digest, instant, nullable, strict, uuid } from './parts.ts';

/** JSON Schemas of the bodies that views/orchestrator.ts writes. */

const text = Type.String();
const oneOf = (...allowed: string[]) => Type.Enum(allowed);

const strategy = oneOf('rolling', 'all_at_once', 'blue_green', 'canary');
const verdict = oneOf('verified', 'mismatch', 'unverified');
const phaseKind = oneOf('batch', 'all', 'canary', 'provision', 'switch', 'retire');

const anatomy = strict({
  stage: text,
  category: text,
  reason: text,
  plainReason: text,
  detail: text,
  action: text,
  actionPath: nullable(text),
  retryable: Type.Boolean(),
});

const landedDigests = {
  verdict,
  gatedDigest: digest,
  manifestDigest: nullable(digest),
  observedDigest: nullable(digest),
};

const landing = strict({
  ...landedDigests,
  components: Type.Array(strict({ name: text, ...landedDigests })),
});

const deploymentTarget = strict({
  targetId: uuid,
  name: text,
  phaseIndex: count,
  status: oneOf('Pending', 'Running', 'Held', 'Succeeded', 'Failed', 'Cancelled'),
  error: nullable(text),
  failureAnatomy: nullable(anatomy),
  landing: nullable(landing),
});

export const deployment = strict({
  id: uuid,
  releaseId: uuid,
  promotionId: uuid,
  environmentId: uuid,
  kind: oneOf('deploy', 'rollback'),
  strategy,
  status: oneOf(
    'Queued',
    'Preflight',
    'Planning',
    'InProgress',
    'Paused',
    'Verifying',
    'Completed',
    'Failed',
    'Cancelling',
    'Cancelled',
    'RollbackInProgress',
    'RolledBack',
    'RollbackFailed',
  ),
  failureReason: nullable(text),
  failureAnatomy: nullable(anatomy),
  landingVerification: nullable(verdict),
  deploymentAttestationRef: Type.Optional(uuid),
  phases: Type.Array(
    strict({
      index: count,
      targetCount: count,
      kind: phaseKind,
      status: oneOf('Pending', 'Running', 'Held', 'Done', 'Failed', 'Skipped'),
    }),
  ),
  targets: Type.Array(deploymentTarget),
  createdAt: instant,
  startedAt: nullable(instant),
  completedAt: nullable(instant),
  version: count,
});

export const release = strict({
  id: uuid,
  name: text,
  semver: text,
  status: oneOf('draft', 'finalized', 'ready', 'deprecated'),
  hold: nullable(strict({ reason: text, since: instant, actor: text })),
  gatedDigestSet: nullable(digest),
  components: Type.Array(
    strict({
      name: text,
      repository: text,
      requestedTag: nullable(text),
      digest: nullable(digest),
      mediaType: nullable(text),
      platforms: Type.Array(strict({ platform: text, digest })),
      dependsOn: Type.Array(text),
    }),
  ),
  evidenceRefs: Type.Array(strict({ type: oneOf('sbom', 'vex', 'score_proof', 'provenance'), sha256: digest })),
  notes: nullable(text),
  createdAt: instant,
  createdBy: text,
  finalizedAt: nullable(instant),
  version: count,
});

export const releasePage = strict({ items: Type.Array(release), nextCursor: nullable(text) });

export const preflightReport = strict({
  releaseId: uuid,
  environment: nullable(text),
  armed: Type.Boolean(),
  hasHardFail: Type.Boolean(),
  failedCheckKeys: Type.Array(text),
  checks: Type.Array(
    strict({
      key: oneOf('digest-pinned', 'image-resolvable', 'target-ready', 'secret-resolvable'),
      title: text,
      status: oneOf('pass', 'fail', 'unknown'),
      detail: text,
      anatomy: nullable(anatomy),
    }),
  ),
});

export const strategyPlan = Type.Union([
  strict({ cannotPreview: Type.Literal(true), reason: text }),
  strict({
    strategy,
    requestedStrategy: strategy,
    targetCount: count,
    phases: Type.Array(strict({ index: count, targetCount: count, kind: phaseKind })),
    effectiveBehaviour: text,
    caveats: Type.Array(oneOf('single-target-collapse', 'no-traffic-management')),
  }),
]);

const estateState = oneOf('inSync', 'drift', 'unobserved');

export const estateStatus = strict({
  deployedComponents: count,
  drift: strict({ total: count, drift: count, inSync: count, unobserved: count, observingAgents: count }),
  deviations: strict({ count }),
});

const located = { environmentId: uuid, targetId: uuid, component: text, state: estateState };

export const estateDrift = strict({
  items: Type.Array(
    strict({
      ...located,
      approvedDigest: nullable(digest),
      observedDigest: nullable(digest),
      observedAt: nullable(instant),
      deviation: nullable(strict({ id: uuid, owner: text, reason: text, expiresAt: instant })),
    }),
  ),
  nextCursor: nullable(text),
});

export const estateDigest = strict({
  digest,
  locations: Type.Array(strict({ ...located, observedAt: nullable(instant) })),
  releases: Type.Array(strict({ id: uuid, name: text, semver: text })),
});

/** Page of the digests that run now. */
export const runningImages = strict({ items: Type.Array(digest), nextCursor: nullable(digest) });
