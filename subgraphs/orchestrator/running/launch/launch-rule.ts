import { Fault } from '@landfall/kernel/core/fault';
import type { Readiness } from '../../catalogue/agents/liveness.ts';
import type { Environment } from '../../catalogue/environments/environment.ts';
import type { Release } from '../../catalogue/releases/release.ts';
import { portsRefusal } from '../../catalogue/targets/port-rule.ts';
import type { Target } from '../../catalogue/targets/target.ts';
import { type Actor, relationOf, relationRefusal } from '../../deciding/promotions/actor.ts';
import { approvalsOf } from '../../deciding/promotions/approval-rule.ts';
import type { Promotion } from '../../deciding/promotions/promotion.ts';
import { type PathCase, skipRefusal } from '../../deciding/promotions/request-rule.ts';
import { type Deployment, environmentConflict } from '../deployments/deployment.ts';
import type { PreflightReport } from '../preflight/preflight-rules.ts';

interface Request {
  readonly launcher: Actor;
  readonly promotion: Promotion;
  readonly release: Release;
  readonly environment: Environment;
  /** Steps of the product's path now; it may have changed since the request. */
  readonly steps: PathCase['steps'];
  /** Environments in which the release has landed; undefined for a retry, which goes where the first launch went. */
  readonly landed: PathCase['landed'] | undefined;
}

/** Separation of duties: refuses the only approver of a promotion, and actors related to them, as launcher. */
const separation = ({ launcher, promotion, environment }: Request): Fault | undefined => {
  const [only, ...others] = approvalsOf(promotion);
  if (environment.separationOfDuties === 'off' || others.length > 0 || !only) return undefined;
  const details = {
    promotion: promotion.id,
    requester: promotion.requestedBy,
    approver: only.actor,
    environment: environment.name,
  };
  if (only.actor === launcher.subject)
    return new Fault(
      'PERM_SOD_VIOLATION',
      'You are the only approver of this promotion; somebody else launches it.',
      details,
    );
  const relation = relationOf(launcher, { subject: only.actor, through: only.givenThrough });
  const message = 'The only approval and your launch have a controller in common.';
  return relationRefusal('PERM_SOD_VIOLATION', message, launcher, relation, 'launch', details);
};

const promotionState = ({ promotion }: Request): Fault | undefined => {
  const { state, approvalsNeeded } = promotion;
  if (state === 'approved') return undefined;
  if (state === 'pending')
    return new Fault('PROM_APPROVER_REQUIRED', 'This promotion still waits for approval.', {
      have: approvalsOf(promotion).length,
      need: approvalsNeeded,
      rolesMissing: [],
    });
  if (state === 'deploying')
    return new Fault('DEPLOY_IN_PROGRESS', 'This promotion is being deployed already.', { promotion: promotion.id });
  return new Fault('PROM_INVALID_STATE', `A promotion that is ${state} cannot be launched. Request a new one.`, {
    state,
    allowed: ['approved'],
  });
};

const releaseState = ({ release, promotion }: Request): Fault | undefined => {
  if (release.status === 'deprecated')
    return new Fault('REL_DEPRECATED', 'This release is deprecated.', { release: release.id });
  if (release.status !== 'ready' || release.hold)
    return new Fault('REL_NOT_READY', release.hold ? `On hold: ${release.hold.reason}` : 'The release is not ready.', {
      status: release.status,
      hold: release.hold?.reason ?? null,
    });
  if (release.gatedDigestSet !== promotion.gatedDigestSet)
    return new Fault('REL_NOT_READY', 'The approvals are for other digests than the release has.', {
      approved: promotion.gatedDigestSet,
      release: release.gatedDigestSet,
    });
  return undefined;
};

const pathRefusal = ({ landed, ...asked }: Request): Fault | undefined =>
  skipRefusal({ ...asked, landed: landed ?? asked.steps.map(({ environment }) => environment.id) });

/** Refuses a launch by facts that are known without network requests: the rule of the operation and of the button. */
export const launchRefusal = (request: Request): Fault | undefined =>
  separation(request) ?? releaseState(request) ?? promotionState(request) ?? pathRefusal(request);

/** Refuses an exclusive environment in which another product is deployed, by the running deployments there. */
export const exclusiveLaunchRefusal = (
  environment: Environment,
  productId: string,
  active: readonly Deployment[],
): Fault | undefined => {
  const other = active.find((each) => each.productId !== productId);
  return environment.isExclusive && other ? environmentConflict(environment, other) : undefined;
};

const UNAVAILABLE: ReadonlySet<Readiness | undefined> = new Set(['absent', 'offline', undefined]);

/** Refuses a launch by the remaining checks, in order (rulings 25): targets, agents, ports, preflight. */
export const readinessRefusal = (
  targets: readonly Target[],
  { components, name }: Pick<Release, 'components' | 'name'>,
  readiness: ReadonlyMap<string, Readiness>,
  report: PreflightReport,
): Fault | undefined => {
  if (targets.length === 0)
    return new Fault('DEPLOY_NO_TARGETS', `This environment has no enabled target for ${name}. Add one.`, {
      environment: report.environment,
    });
  const of = ({ id }: Target): Readiness | undefined => readiness.get(id);
  const without = targets.filter((target) => UNAVAILABLE.has(of(target)));
  if (without.length > 0)
    return new Fault(
      'DEPLOY_AGENT_UNAVAILABLE',
      'The agent of a target is absent or offline. Bring it back, or assign another.',
      {
        targets: without.map(({ id, name, agentId }) => ({ id, name, agentId })),
      },
    );
  const incapable = targets.filter((target) => of(target) === 'incapable');
  if (incapable.length > 0)
    return new Fault('AGT_CAPABILITY_MISSING', 'The agent of a target does not offer its driver.', {
      targets: incapable.map(({ id, name, driver }) => ({ id, name, driver })),
    });
  const tooFewPorts = portsRefusal(targets, components.length);
  if (tooFewPorts) return tooFewPorts;
  if (!report.armed)
    return new Fault('preflight_failed', 'A readiness check failed. Mend what it names, then launch again.', {
      failedCheckKeys: report.failedCheckKeys,
      checks: report.checks.filter(({ status }) => status === 'fail'),
    });
  return undefined;
};

/** Codes of the checks that every new deployment must pass. */
export const READINESS_RAISES = [
  'REL_NOT_READY',
  'DEPLOY_ROLLBACK_IN_PROGRESS',
  'DEPLOY_IN_PROGRESS',
  'DEPLOY_NO_TARGETS',
  'DEPLOY_AGENT_UNAVAILABLE',
  'AGT_CAPABILITY_MISSING',
  'RES_CONFLICT',
  'preflight_failed',
] as const;

/** Codes of the checks that a launch must pass. */
export const LAUNCH_RAISES = [
  'PERM_SOD_VIOLATION',
  'REL_DEPRECATED',
  'PROM_APPROVER_REQUIRED',
  'PROM_SKIP_ENVIRONMENT',
  'VAL_INVALID_VALUE',
  ...READINESS_RAISES,
] as const;
