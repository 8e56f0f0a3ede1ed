import {
  type Code,
  type Deployment,
  type Environment,
  environmentOf,
  isRunning,
  type Landing,
  type Model,
  type Product,
  type Promotion,
  productOf,
  type Target,
} from './entities.model.ts';
import { settingsAt, stepAt } from './paths.model.ts';
import { isOccupied, isOpen, isUnacknowledged, pathRefusal } from './promotions.model.ts';
import { promotableCode } from './releases.model.ts';
import { reach } from './targets.model.ts';

export const activeIn = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  model.deployments.find(
    (each) => isRunning(each) && productOf(each) === product && environmentOf(each) === environment,
  );

/** Running deployment of another product, where the environment takes one product at a time. */
export const occupantOf = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  environment.isExclusive
    ? model.deployments.find(
        (each) => isRunning(each) && productOf(each) !== product && environmentOf(each) === environment,
      )
    : undefined;

export const busy = ({ kind }: Deployment): string =>
  kind === 'rollback' ? 'DEPLOY_ROLLBACK_IN_PROGRESS' : 'DEPLOY_IN_PROGRESS';

const LAUNCH: Readonly<Partial<Record<Promotion['state'], string>>> = {
  pending: 'PROM_APPROVER_REQUIRED',
  deploying: 'DEPLOY_IN_PROGRESS',
};

/** Starts a deployment on the targets that it reaches; those that belong to nobody are its product's from then on. */
export const start = (
  model: Model,
  promotion: Promotion,
  kind: Deployment['kind'],
  targets: readonly Target[],
  undoes?: Deployment,
): void => {
  for (const target of targets) target.product = promotion.release.product;
  model.deployments.push({
    id: '',
    promotion,
    kind,
    targets: new Map(targets.map((target) => [target, null])),
    undoes,
    state: 'queued',
    landing: null,
    isRetryable: false,
  });
};

interface Launch {
  readonly by: string;
  readonly acknowledged: readonly Deployment[];
  readonly isRetry?: boolean;
}

export const launch = (model: Model, promotion: Promotion, { by, acknowledged, isRetry }: Launch): Code => {
  const { release, environment, approvers, state } = promotion;
  const { product } = release;
  const [only, ...others] = approvers;
  const { separationOfDuties } = settingsAt(model, product, environment);
  if (separationOfDuties !== 'off' && only === by && others.length === 0) return 'PERM_SOD_VIOLATION';
  const refused = promotableCode(release);
  if (refused !== undefined) return refused;
  if (state !== 'approved') return LAUNCH[state] ?? 'PROM_INVALID_STATE';
  if (!stepAt(model, product, environment)) return 'PROM_SKIP_ENVIRONMENT';
  const skipped = isRetry ? undefined : pathRefusal(model, release, environment);
  if (skipped !== undefined) return skipped;
  const active = activeIn(model, product, environment);
  if (active) return busy(active);
  const otherPromotion = occupantOf(model, product, environment);
  if (otherPromotion) return busy(otherPromotion);
  const targets = reach(model, product, environment);
  if (targets.length === 0) return 'DEPLOY_NO_TARGETS';
  if (isUnacknowledged(model, release, acknowledged)) return 'RES_CONFLICT';
  start(model, promotion, 'deploy', targets);
  promotion.state = 'deploying';
  return undefined;
};

/** Ends a deployment: its promotion, those that it supersedes within its product, and the deployment that it undoes. */
const end = (model: Model, deployment: Deployment, state: 'completed' | 'failed' | 'cancelled'): void => {
  const { promotion, kind, undoes } = deployment;
  deployment.state = state;
  if (state === 'completed') {
    for (const other of model.promotions)
      if (
        other.state === 'deployed' &&
        other.environment === promotion.environment &&
        other.release.product === promotion.release.product
      )
        other.state = 'superseded';
    promotion.state = 'deployed';
  } else if (kind === 'deploy') promotion.state = 'failed';
  if (undoes) undoes.state = state === 'completed' ? 'rolled_back' : 'rollback_failed';
};

/** Runs the runner: queued deployments start, or fail when a changed path leaves them without targets. */
export const turn = (model: Model): void => {
  for (const deployment of model.deployments)
    if (deployment.state === 'queued') {
      if (reach(model, productOf(deployment), environmentOf(deployment), deployment.kind).length > 0)
        deployment.state = 'in_progress';
      else {
        for (const target of deployment.targets.keys()) deployment.targets.set(target, 'failed');
        end(model, deployment, 'failed');
      }
    }
};

/** Cancels a deployment that no agent has begun. */
export const cancelDeployment = (model: Model, deployment: Deployment): Code => {
  if (deployment.state === 'rollback_in_progress') return 'DEPLOY_ROLLBACK_IN_PROGRESS';
  if (!isRunning(deployment)) return 'RES_CONFLICT';
  if (deployment.kind === 'rollback') return 'DEPLOY_ROLLBACK_IN_PROGRESS';
  end(model, deployment, 'cancelled');
  return undefined;
};

const RETRYABLE = 'failed';

/** Reports the end of a target; the last one ends the deployment. */
export const land = (model: Model, deployment: Deployment, target: Target, how: Landing): void => {
  const { components } = deployment.promotion.release;
  deployment.targets.set(target, how);
  if (how === 'verified' || how === 'unverified') {
    target.approved = new Map(components.map(({ name, digest }) => [name, digest]));
    target.seen.clear();
    for (const { name, digest } of components) target.seen.set(name, how === 'verified' ? digest : null);
  }
  const ends = [...deployment.targets.values()];
  if (ends.includes(null)) return;
  if (ends.includes('mismatch') || ends.includes('failed')) {
    if (ends.includes('mismatch')) deployment.landing = 'mismatch';
    deployment.isRetryable = !ends.includes('mismatch') && ends.includes(RETRYABLE);
    end(model, deployment, 'failed');
    return;
  }
  deployment.landing = ends.includes('unverified') ? 'unverified' : 'verified';
  end(model, deployment, 'completed');
};

/** Newest deployment of a product in an environment. */
export const newestIn = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  model.deployments.findLast((each) => productOf(each) === product && environmentOf(each) === environment);

/** Retries a failed deployment by a promotion with copies of its approvals. */
export const retry = (model: Model, deployment: Deployment, { by, acknowledged }: Launch): Code => {
  if (deployment.state !== 'failed' || deployment.kind === 'rollback' || !deployment.isRetryable) return 'RES_CONFLICT';
  const { release, environment, requester, approvalsNeeded, approvers } = deployment.promotion;
  const newest = newestIn(model, release.product, environment);
  if (newest && newest !== deployment) return isRunning(newest) ? busy(newest) : 'RES_CONFLICT';
  const isSame = (each: Promotion): boolean => each.release === release && each.environment === environment;
  if (model.promotions.some((each) => isSame(each) && isOpen(each))) return 'PROM_ALREADY_EXISTS';
  if (isOccupied(model, release, environment)) return 'PROM_ALREADY_EXISTS';
  const repeated: Promotion = {
    id: '',
    release,
    environment,
    requester,
    approvalsNeeded,
    approvers: [...approvers],
    state: 'approved',
  };
  const refused = launch(model, repeated, { by, acknowledged: [...acknowledged, deployment], isRetry: true });
  if (refused === undefined) model.promotions.push(repeated);
  return refused;
};
