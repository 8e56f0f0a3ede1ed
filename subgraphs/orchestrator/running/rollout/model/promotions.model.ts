import {
  type Code,
  type Deployment,
  type Environment,
  environmentOf,
  isRunning,
  type Model,
  type Promotion,
  productOf,
  type Release,
} from './entities.model.ts';
import { settingsAt, stepAt } from './paths.model.ts';
import { digestSet, promotableCode } from './releases.model.ts';

export const isOpen = ({ state }: Promotion): boolean => ['pending', 'approved', 'deploying'].includes(state);

/** Environments in which a release has landed verified, and was not rolled back since. */
const landedOf = (model: Model, release: Release): Environment[] =>
  model.deployments
    .filter(({ promotion, state, landing }) => {
      const isLanded = state === 'completed' && landing === 'verified';
      return promotion.release === release && isLanded;
    })
    .map(environmentOf);

/** Whether an environment that takes one product at a time has an open promotion of another one. */
export const isOccupied = (model: Model, release: Release, environment: Environment): boolean =>
  environment.isExclusive &&
  model.promotions.some(
    (each) => each.release.product !== release.product && each.environment === environment && isOpen(each),
  );

/** Refuses a request: by the release's state, by an open promotion, and by what must have landed before. */
export const requestRefusal = (model: Model, release: Release, environment: Environment): Code => {
  const refused = promotableCode(release);
  if (refused !== undefined) return refused;
  const isSame = (each: Promotion): boolean => each.release === release && each.environment === environment;
  if (model.promotions.some((each) => isSame(each) && isOpen(each))) return 'PROM_ALREADY_EXISTS';
  if (isOccupied(model, release, environment)) return 'PROM_ALREADY_EXISTS';
  return pathRefusal(model, release, environment);
};

export const pathRefusal = (model: Model, release: Release, environment: Environment): Code => {
  const step = stepAt(model, release.product, environment);
  if (!step) return 'PROM_SKIP_ENVIRONMENT';
  const landed = step.after.map((before) => before !== undefined && landedOf(model, release).includes(before));
  const isMet = step.need === 'all' || landed.length === 0 ? !landed.includes(false) : landed.includes(true);
  return isMet ? undefined : 'PROM_SKIP_ENVIRONMENT';
};

export const request = (model: Model, release: Release, environment: Environment, by: string): Code => {
  const refused = requestRefusal(model, release, environment);
  if (refused !== undefined) return refused;
  const { requiredApprovals } = settingsAt(model, release.product, environment);
  model.promotions.push({
    id: '',
    release,
    environment,
    requester: by,
    approvalsNeeded: requiredApprovals,
    approvers: [],
    state: requiredApprovals === 0 ? 'approved' : 'pending',
  });
  return undefined;
};

const OVER = { deployed: 'PROM_NOT_PENDING', failed: 'PROM_NOT_PENDING', superseded: 'PROM_NOT_PENDING' };

const CLOSED = { rejected: 'PROM_ALREADY_REJECTED', cancelled: 'PROM_ALREADY_CANCELLED' };

const REFUSALS: Readonly<
  Record<'approve' | 'reject' | 'cancel', Readonly<Partial<Record<Promotion['state'], string>>>>
> = {
  approve: { approved: 'PROM_ALREADY_APPROVED', deploying: 'PROM_NOT_PENDING', ...CLOSED, ...OVER },
  reject: { approved: 'PROM_NOT_PENDING', deploying: 'PROM_NOT_PENDING', ...CLOSED, ...OVER },
  cancel: {
    deploying: 'PROM_DEPLOYING',
    ...CLOSED,
    deployed: 'PROM_INVALID_STATE',
    failed: 'PROM_INVALID_STATE',
    superseded: 'PROM_INVALID_STATE',
  },
};

const ADVERSE: readonly string[] = ['failed', 'rollback_in_progress', 'rolled_back', 'rollback_failed'];

/** Last ended deployments of a release's digests within its product that need an acknowledgement. */
export const adverseOutcomes = (model: Model, release: Release): Deployment[] =>
  model.environments.flatMap((environment) => {
    const last = model.deployments.findLast(
      (each) =>
        each.kind === 'deploy' &&
        productOf(each) === release.product &&
        environmentOf(each) === environment &&
        digestSet(each.promotion.release) === digestSet(release) &&
        !isRunning(each) &&
        each.state !== 'cancelled',
    );
    return last && ADVERSE.includes(last.state) ? [last] : [];
  });

interface Approval {
  readonly by: string;
  readonly hasSeen: boolean;
  readonly acknowledged: readonly Deployment[];
}

export const isUnacknowledged = (model: Model, release: Release, acknowledged: readonly Deployment[]): boolean =>
  adverseOutcomes(model, release).some((each) => !acknowledged.includes(each));

export const approve = (model: Model, promotion: Promotion, { by, hasSeen, acknowledged }: Approval): Code => {
  const { release, environment } = promotion;
  if (promotion.approvalsNeeded > 0 && by === promotion.requester) return 'PERM_SELF_APPROVAL';
  const { separationOfDuties } = settingsAt(model, release.product, environment);
  if (separationOfDuties === 'author' && by === release.author) return 'PERM_SOD_VIOLATION';
  if (!hasSeen) return 'RES_VERSION_CONFLICT';
  const refused = REFUSALS.approve[promotion.state];
  if (refused !== undefined) return refused;
  if (promotion.approvers.includes(by)) return 'RES_ALREADY_EXISTS';
  if (isUnacknowledged(model, release, acknowledged)) return 'RES_CONFLICT';
  promotion.approvers.push(by);
  if (promotion.approvers.length >= promotion.approvalsNeeded) promotion.state = 'approved';
  return undefined;
};

export const decide = (promotion: Promotion, operation: 'reject' | 'cancel'): Code => {
  const refused = REFUSALS[operation][promotion.state];
  if (refused !== undefined) return refused;
  promotion.state = operation === 'reject' ? 'rejected' : 'cancelled';
  return undefined;
};
