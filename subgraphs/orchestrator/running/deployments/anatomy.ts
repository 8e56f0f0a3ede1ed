import type { ErrorClass, StepName } from '@landfall/agent/protocol/messages';
import { oneOf } from '@landfall/kernel/operation/input';
import type { FaultCode } from '@landfall/schema/codes';
import Type, { type Static } from 'typebox';
import type { Deployment } from './deployments.store.ts';

/** The nine stages of spec 2.10, in the order they run. */
export const stages = [
  'artifact-generation',
  'bundle-assembly',
  'strategy-planning',
  'preflight',
  'traffic-gate',
  'execution',
  'health-probe',
  'retry-prep',
  'rollback',
] as const;

export type Stage = (typeof stages)[number];

const category = oneOf(
  'SecretResolution',
  'RegistryUnreachable',
  'AgentUnassigned',
  'AgentOffline',
  'Timeout',
  'TargetNotFound',
  'UnsupportedTarget',
  'NoHealthyTargets',
  'DependencyGraph',
  'PreflightFailed',
  'HealthCheckFailed',
  'NoTargetsEnrolled',
  'StrategyPlanIncomplete',
  'StrategyGateHalted',
  'RollbackNotEligible',
  'DigestMismatch',
  'Unclassified',
);
type Category = Static<typeof category>;

/** DeploymentFailureAnatomy (spec 2.10), as stored: the cause as text and slugs, and suggested actions. */
export const anatomyDocument = Type.Object({
  stage: oneOf(...stages),
  category,
  reason: Type.String(),
  plainReason: Type.String(),
  detail: Type.String(),
  action: Type.String(),
  actionPath: Type.Union([Type.String(), Type.Null()]),
  retryable: Type.Boolean(),
  /** Code that the agent reported; absent if no agent reported one. */
  errorCode: Type.Optional(Type.String()),
});
export type Anatomy = Static<typeof anatomyDocument>;

/** Ids of the failed records, which fill the paths of suggested actions. */
export interface FailureSubject {
  readonly releaseId: string;
  readonly environmentId?: string;
  readonly deploymentId?: string;
  /** Digest of a mismatch. */
  readonly digest?: string | undefined;
}

interface Known {
  readonly category: Category;
  readonly plainReason: string;
  readonly action: string;
  /** Page of the suggested action; absent if it has none. */
  readonly path?: 'preflight' | 'deployment' | 'release' | 'releases' | 'plan' | 'estate' | 'digest';
}

/** Every known cause by reason slug: its category, explanation and actions. No other code decides a category. */
const causes = {
  'secret-not-found': {
    category: 'SecretResolution',
    plainReason: 'A secret that the deployment refers to does not exist.',
    action: 'Save the secret, or correct the reference, and launch again.',
    path: 'preflight',
  },
  'secret-refused': {
    category: 'SecretResolution',
    plainReason: 'The vault refuses a secret to our token.',
    action: 'Let the token of the secret provider read this path, or correct the reference, and launch again.',
    path: 'preflight',
  },
  'secret-unavailable': {
    category: 'SecretResolution',
    plainReason: 'A secret could not be read: its store did not answer as it should.',
    action: 'Test the secret provider; once it answers, launch again.',
    path: 'preflight',
  },
  'secrets-too-large': {
    category: 'SecretResolution',
    plainReason: 'A target refers to more secrets, or larger ones, than its agent can be given.',
    action: 'Refer to fewer secrets on the target and in the variables, or to smaller ones, and launch again.',
    path: 'preflight',
  },
  'registry-unauthorized': {
    category: 'SecretResolution',
    plainReason: 'The registry refused our credentials.',
    action: 'Correct the credentials of the registry’s integration and launch again.',
    path: 'preflight',
  },
  'registry-unreachable': {
    category: 'RegistryUnreachable',
    plainReason: 'The registry could not be reached.',
    action: 'Check the registry and the network to it, then launch again.',
    path: 'preflight',
  },
  'agent-unassigned': {
    category: 'AgentUnassigned',
    plainReason: 'No agent serves this target.',
    action: 'Assign an agent to the target.',
    path: 'estate',
  },
  'agent-heartbeat-lost': {
    category: 'AgentOffline',
    plainReason: 'The agent stopped reporting while it worked.',
    action: 'Bring the agent back; it keeps what it was running. Then launch again.',
    path: 'estate',
  },
  'agent-offline': {
    category: 'AgentOffline',
    plainReason: 'The agent of this target does not report.',
    action: 'Bring the agent back, then launch again.',
    path: 'estate',
  },
  'job-deadline': {
    category: 'Timeout',
    plainReason: 'The deployment did not end before its deadline.',
    action: 'Look at the slowest target, raise the environment’s timeout if it is too short, and launch again.',
    path: 'deployment',
  },
  'target-removed': {
    category: 'TargetNotFound',
    plainReason: 'The target was disabled while the deployment ran.',
    action: 'Launch again without it, or enable it.',
    path: 'estate',
  },
  'driver-unsupported': {
    category: 'UnsupportedTarget',
    plainReason: 'The agent cannot run what this target asks for.',
    action: 'Assign an agent that offers the target’s driver.',
  },
  'platform-unsupported': {
    category: 'UnsupportedTarget',
    plainReason: 'The image has no build for the agent’s platform.',
    action: 'Publish the image for this platform, or assign another agent.',
    path: 'release',
  },
  'no-healthy-targets': {
    category: 'NoHealthyTargets',
    plainReason: 'Every target of the environment is unhealthy.',
    action: 'Restore at least one target before launching.',
    path: 'estate',
  },
  'target-unhealthy': {
    category: 'PreflightFailed',
    plainReason: 'A target is unhealthy.',
    action: 'Restore the target before launching.',
    path: 'preflight',
  },
  'dependency-unsatisfied': {
    category: 'DependencyGraph',
    plainReason: 'Components depend on each other in a circle, or on one that is missing.',
    action: 'Correct the release’s dependencies in a new release.',
    path: 'release',
  },
  'preflight-failed': {
    category: 'PreflightFailed',
    plainReason: 'A readiness check failed.',
    action: 'Mend what the failed check names, then launch again.',
    path: 'preflight',
  },
  'digest-not-pinned': {
    category: 'PreflightFailed',
    plainReason: 'A component has no digest.',
    action: 'Finalize the release, so that every tag becomes a digest.',
    path: 'release',
  },
  'probe-failed': {
    category: 'HealthCheckFailed',
    plainReason: 'The new version started but never passed its health check.',
    action: 'Read its log below and mend the release; the version before it still serves.',
    path: 'deployment',
  },
  'no-targets': {
    category: 'NoTargetsEnrolled',
    plainReason: 'The environment has no enabled target for this product.',
    action: 'Add a target to the environment.',
  },
  'plan-incomplete': {
    category: 'StrategyPlanIncomplete',
    plainReason: 'The strategy gives no complete plan for these targets.',
    action: 'Choose another strategy.',
    path: 'plan',
  },
  'digest-mismatch': {
    category: 'DigestMismatch',
    plainReason: 'The digest that was fetched or runs is not the one that was approved.',
    action: 'Find out who changed it. Do not retry: publish and approve the intended image again.',
    path: 'digest',
  },
  'artifact-missing': {
    category: 'Unclassified',
    plainReason: 'The approved image is no longer in the registry.',
    action: 'Push the image with the same digest again, or release another.',
    path: 'release',
  },
  'disk-full': {
    category: 'Unclassified',
    plainReason: 'The agent’s disk is full.',
    action: 'Make room on the agent’s host, then launch again.',
  },
  'image-refused': {
    category: 'Unclassified',
    plainReason: 'The image holds something that is never unpacked, such as a path out of its root.',
    action: 'Rebuild the image without it.',
    path: 'release',
  },
  'port-taken': {
    category: 'Unclassified',
    plainReason: 'Another program holds the target’s port.',
    action: 'Free the port, or give the target another one.',
  },
  'start-failed': {
    category: 'Unclassified',
    plainReason: 'The new version did not start.',
    action: 'Read its log below and mend the release; the version before it still serves.',
    path: 'deployment',
  },
  'gate-halted': {
    category: 'StrategyGateHalted',
    plainReason: 'The deployment was halted.',
    action: 'Read the reason, then launch again or roll back.',
    path: 'deployment',
  },
  'no-verified-predecessor': {
    category: 'RollbackNotEligible',
    plainReason: 'What ran before is gone: its images are in no registry and on no agent.',
    action: 'Push the images with the same digests again, or roll back to another deployment.',
    path: 'releases',
  },
  unclassified: {
    category: 'Unclassified',
    plainReason: 'Something failed that is not known to us.',
    action: 'Read the detail below.',
  },
} as const satisfies Readonly<Record<string, Known>>;

export type Reason = keyof typeof causes;

const isReason = (word: string): word is Reason => Object.hasOwn(causes, word);
export const reasons: readonly Reason[] = Object.keys(causes).filter(isReason);

/** Categories that a retry may resolve (spec 2.10). */
const RETRYABLE: ReadonlySet<Category> = new Set(['Timeout', 'RegistryUnreachable', 'AgentOffline']);

const BASE = '/api/v1/release-orchestrator';

const pathTo = (known: Known, { releaseId, environmentId, deploymentId, digest }: FailureSubject): string | null => {
  const own = environmentId === undefined ? '' : `?environmentId=${environmentId}`;
  switch (known.path) {
    case 'preflight':
      return `${BASE}/releases/${releaseId}/deploy-preflight${own}`;
    case 'plan':
      return `${BASE}/releases/${releaseId}/deploy-plan${own}`;
    case 'release':
      return `${BASE}/releases/${releaseId}`;
    case 'releases':
      return `${BASE}/releases`;
    case 'deployment':
      return deploymentId === undefined ? null : `${BASE}/deployments/${deploymentId}`;
    case 'estate':
      return `${BASE}/estate/status`;
    case 'digest':
      return digest === undefined ? null : `${BASE}/estate/digest/${digest}`;
    default:
      return null;
  }
};

/** Classifies a failure by stage and reason as an anatomy. `detail` is stored unchanged. */
export const classify = (stage: Stage, reason: Reason, detail: string, subject: FailureSubject): Anatomy => {
  const known: Known = causes[reason];
  const { category, plainReason, action } = known;
  return {
    stage,
    category,
    reason,
    plainReason,
    detail,
    action,
    actionPath: pathTo(known, subject),
    retryable: RETRYABLE.has(category),
  };
};

/** Reasons of the agents' error classes whose names differ here. */
const AGENT_REASONS: Readonly<Partial<Record<ErrorClass, Reason>>> = {
  deadline: 'job-deadline',
  cancelled: 'gate-halted',
  'lease-lost': 'agent-heartbeat-lost',
};

const reasonOf = (errorClass: ErrorClass): Reason =>
  AGENT_REASONS[errorClass] ?? (isReason(errorClass) ? errorClass : 'unclassified');

const PROBING: ReadonlySet<StepName> = new Set(['probed', 'observed']);

const stageOf = (during: StepName, reason: Reason): Stage => {
  if (reason === 'secret-not-found') return 'bundle-assembly';
  // A driver that switches to a release before probing it has its probe after the traffic shift.
  if (reason === 'probe-failed') return 'health-probe';
  return PROBING.has(during) ? 'health-probe' : 'execution';
};

/** Failure reported by an agent. The error class decides category and actions; the code is passed on. */
interface Reported {
  readonly during: StepName;
  readonly code: FaultCode;
  readonly errorClass: ErrorClass;
  readonly raw: string;
}

/** Builds the anatomy of a task that its agent reported as failed. */
export const classifyReport = ({ during, code, errorClass, raw }: Reported, subject: FailureSubject): Anatomy => {
  const reason = reasonOf(errorClass);
  return { ...classify(stageOf(during, reason), reason, raw, subject), errorCode: code };
};

/** Ids for the suggested actions of a deployment's failures. */
export const failureSubjectOf = (
  deployment: Pick<Deployment, 'id' | 'releaseId' | 'environmentId'>,
): FailureSubject => ({
  releaseId: deployment.releaseId,
  environmentId: deployment.environmentId,
  deploymentId: deployment.id,
});
