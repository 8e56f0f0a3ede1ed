/**
 * Model of products that share environments, written independently from sections 1 and 2 of the design of products and
 * without a database: a refused operation returns its code, one that is accepted changes the model.
 */

export type Code = string | undefined;
export type Labels = Readonly<Record<string, string>>;
export type Landing = 'verified' | 'unverified' | 'mismatch' | 'failed';
export type Separation = 'off' | 'author';

export interface Environment {
  readonly id: string;
  readonly orderIndex: number;
  requiredApprovals: number;
  separationOfDuties: Separation;
  /** Whether one product at a time is promoted and deployed here. */
  isExclusive: boolean;
}

export interface Policy {
  readonly requiredApprovals?: number;
  readonly separationOfDuties?: Separation;
  readonly relaxes?: boolean;
}

export interface Step {
  readonly environment: Environment | undefined;
  readonly after: readonly (Environment | undefined)[];
  readonly need: 'all' | 'any';
  readonly labels: Labels;
  readonly policy: Policy;
}

export interface Component {
  readonly name: string;
  readonly repository: string;
  readonly digest: string;
}

export interface Declared {
  readonly name: string;
  readonly repository: string;
  readonly required: boolean;
}

export interface Product {
  id: string;
  readonly name: string;
  isRemoved: boolean;
  components: readonly Declared[] | null;
  /** Null: the environments in order. */
  path: readonly Step[] | null;
}

export interface Target {
  id: string;
  readonly environment: Environment;
  product: Product | null;
  labels: Labels;
  isEnabled: boolean;
  isRemoved: boolean;
  /** Release that landed last, by the digests of its components. */
  approved: ReadonlyMap<string, string>;
  readonly seen: Map<string, string | null>;
}

export interface Release {
  id: string;
  readonly product: Product;
  readonly semver: string;
  readonly components: readonly Component[];
  readonly author: string;
  status: 'draft' | 'finalized' | 'ready' | 'deprecated';
  isHeld: boolean;
}

export interface Promotion {
  id: string;
  readonly release: Release;
  readonly environment: Environment;
  readonly requester: string;
  readonly approvalsNeeded: number;
  readonly approvers: string[];
  state: 'pending' | 'approved' | 'rejected' | 'cancelled' | 'deploying' | 'deployed' | 'failed' | 'superseded';
}

export interface Deployment {
  id: string;
  readonly promotion: Promotion;
  readonly kind: 'deploy' | 'rollback';
  /** Ends of the targets; null while a target has not ended. */
  readonly targets: Map<Target, Landing | null>;
  /** Deployment that a rollback undoes. */
  readonly undoes: Deployment | undefined;
  state:
    | 'queued'
    | 'in_progress'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'rollback_in_progress'
    | 'rolled_back'
    | 'rollback_failed';
  landing: 'verified' | 'unverified' | 'mismatch' | null;
  /** Whether the cause passes by itself, so that the deployment may be retried. */
  isRetryable: boolean;
}

export interface Model {
  readonly environments: readonly Environment[];
  readonly products: Product[];
  readonly targets: Target[];
  readonly releases: Release[];
  readonly promotions: Promotion[];
  /** Oldest first. */
  readonly deployments: Deployment[];
}

export const productOf = ({ promotion }: Deployment): Product => promotion.release.product;
export const environmentOf = ({ promotion }: Deployment): Environment => promotion.environment;

const RUNNING: readonly string[] = ['queued', 'in_progress'];
export const isRunning = ({ state }: Deployment): boolean => RUNNING.includes(state);

const isLive = ({ isRemoved }: { readonly isRemoved: boolean }): boolean => !isRemoved;

// Paths

/** Steps of a product; a removed one has none. */
export const pathOf = ({ environments }: Model, { path, isRemoved }: Product): readonly Step[] => {
  if (isRemoved) return [];
  return (
    path ??
    environments.map((environment) => ({
      environment,
      after: environments.filter((other) => other.orderIndex < environment.orderIndex),
      need: 'all',
      labels: {},
      policy: {},
    }))
  );
};

const stepAt = (model: Model, product: Product, environment: Environment): Step | undefined =>
  pathOf(model, product).find((step) => step.environment === environment);

/** Settings of an environment for a product: the stricter of both, unless its step relaxes them. */
export const settingsAt = (model: Model, product: Product, environment: Environment) => {
  const { requiredApprovals, separationOfDuties, relaxes } = stepAt(model, product, environment)?.policy ?? {};
  const approvals = requiredApprovals ?? environment.requiredApprovals;
  const separation = separationOfDuties ?? environment.separationOfDuties;
  if (relaxes) return { requiredApprovals: approvals, separationOfDuties: separation };
  return {
    requiredApprovals: Math.max(approvals, environment.requiredApprovals),
    separationOfDuties: [separation, environment.separationOfDuties].includes('author') ? 'author' : 'off',
  };
};

const isLessStrict = ({ environment, policy }: Step): boolean =>
  environment !== undefined &&
  !policy.relaxes &&
  ((policy.requiredApprovals ?? 10) < environment.requiredApprovals ||
    (policy.separationOfDuties === 'off' && environment.separationOfDuties === 'author'));

const hasCycle = (steps: readonly Step[]): boolean => {
  let remaining = [...steps];
  for (let size = -1; size !== remaining.length; ) {
    size = remaining.length;
    const waiting = remaining.map(({ environment }) => environment);
    remaining = remaining.filter(({ after }) => after.some((environment) => waiting.includes(environment)));
  }
  return remaining.length > 0;
};

export const setPath = (product: Product, steps: readonly Step[] | null): Code => {
  if (product.isRemoved) return 'RES_NOT_FOUND';
  const environments = steps?.map(({ environment }) => environment) ?? [];
  if (environments.includes(undefined)) return 'RES_ENVIRONMENT_NOT_FOUND';
  const isWrong = new Set(environments).size < environments.length || steps?.some(isLessStrict);
  if (isWrong || steps?.some(({ after }) => after.some((before) => !environments.includes(before))))
    return 'VAL_INVALID_VALUE';
  if (steps && hasCycle(steps)) return 'ENV_CIRCULAR_PROMOTION';
  product.path = steps;
  return undefined;
};

// Products and targets

export const createProduct = (model: Model, name: string, components: readonly Declared[] | null): Code => {
  if (model.products.some((each) => each.name === name && isLive(each))) return 'RES_ALREADY_EXISTS';
  model.products.push({ id: '', name, isRemoved: false, components, path: null });
  return undefined;
};

export const declare = (product: Product, components: readonly Declared[] | null): Code => {
  if (product.isRemoved) return 'RES_NOT_FOUND';
  product.components = components;
  return undefined;
};

export const removeProduct = (model: Model, product: Product): Code => {
  if (product.isRemoved) return 'RES_NOT_FOUND';
  if (model.targets.some((target) => target.product === product && isLive(target))) return 'RES_CONFLICT';
  product.isRemoved = true;
  return undefined;
};

export const createTarget = (model: Model, environment: Environment, product: Product | null, labels: Labels): Code => {
  if (product?.isRemoved) return 'RES_NOT_FOUND';
  model.targets.push({
    id: '',
    environment,
    product,
    labels,
    isEnabled: true,
    isRemoved: false,
    approved: new Map(),
    seen: new Map(),
  });
  return undefined;
};

const isUsed = (model: Model, target: Target): boolean =>
  model.deployments.some((each) => isRunning(each) && each.targets.has(target));

/** Moves a target to another product, or to the first that is deployed to it. */
export const moveTarget = (model: Model, target: Target, product: Product | null): Code => {
  if (target.isRemoved) return 'RES_TARGET_NOT_FOUND';
  if (product === target.product) return undefined;
  if (product?.isRemoved) return 'RES_NOT_FOUND';
  if (isUsed(model, target) || target.approved.size > 0 || target.seen.size > 0) return 'RES_CONFLICT';
  target.product = product;
  return undefined;
};

export const labelTarget = (target: Target, labels: Labels): Code => {
  if (target.isRemoved) return 'RES_TARGET_NOT_FOUND';
  target.labels = labels;
  return undefined;
};

export const toggleTarget = (model: Model, target: Target, isEnabled: boolean): Code => {
  if (target.isRemoved) return 'RES_TARGET_NOT_FOUND';
  if (target.isEnabled === isEnabled || (!isEnabled && isUsed(model, target))) return 'RES_CONFLICT';
  target.isEnabled = isEnabled;
  return undefined;
};

export const removeTarget = (model: Model, target: Target): Code => {
  if (target.isRemoved) return 'RES_TARGET_NOT_FOUND';
  if (isUsed(model, target)) return 'DEPLOY_IN_PROGRESS';
  target.isRemoved = true;
  return undefined;
};

/** Targets that a deployment of a product includes; off its path only those that belong to it already. */
export const reach = (
  model: Model,
  product: Product,
  environment: Environment,
  kind: Deployment['kind'] = 'deploy',
): Target[] => {
  const step = stepAt(model, product, environment);
  const isSelected = ({ labels }: Target): boolean =>
    Object.entries(step?.labels ?? {}).every(([name, value]) => labels[name] === value);
  return model.targets.filter((target) => {
    if (target.environment !== environment || !isLive(target) || !target.isEnabled) return false;
    if (target.product === product) return kind === 'rollback' || isSelected(target);
    return target.product === null && step !== undefined && isSelected(target);
  });
};

// Releases

export const createRelease = (
  model: Model,
  name: string,
  semver: string,
  components: readonly Component[],
  author: string,
): Code => {
  const known = model.products.find((each) => each.name === name && isLive(each));
  const product = known ?? { id: '', name, isRemoved: false, components: null, path: null };
  const isDeclared = (input: Component): boolean =>
    product.components === null ||
    product.components.some((each) => each.name === input.name && each.repository === input.repository);
  if (!components.every(isDeclared)) return 'VAL_INVALID_VALUE';
  if (model.releases.some((each) => each.product === product && each.semver === semver)) return 'RES_ALREADY_EXISTS';
  if (!known) model.products.push(product);
  model.releases.push({ id: '', product, semver, components, author, status: 'draft', isHeld: false });
  return undefined;
};

export type ReleaseAct = 'finalize' | 'markReady' | 'hold' | 'clearHold' | 'deprecate';

const finalize = (release: Release): Code => {
  const { status, components, product } = release;
  if (status !== 'draft') return 'REL_ALREADY_FINALIZED';
  const required = product.components?.filter((each) => each.required) ?? [];
  const isMissing = ({ name }: Declared): boolean => components.every((each) => each.name !== name);
  if (components.length === 0 || required.some(isMissing)) return 'REL_COMPONENT_MISSING';
  const isDeclared = ({ name, repository }: Component): boolean =>
    product.components?.some((each) => each.name === name && each.repository === repository) ?? true;
  if (!components.every(isDeclared)) return 'VAL_INVALID_VALUE';
  release.status = 'finalized';
  return undefined;
};

export const releaseAct = (release: Release, operation: ReleaseAct): Code => {
  const isFixed = release.status === 'finalized' || release.status === 'ready';
  if (operation === 'finalize') return finalize(release);
  if (!isFixed || (operation === 'markReady' && release.status === 'ready')) return 'REL_INVALID_STATUS_TRANSITION';
  if (operation === 'markReady') {
    if (release.isHeld) return 'REL_NOT_READY';
    release.status = 'ready';
  } else if (operation === 'deprecate') release.status = 'deprecated';
  else if (operation === 'hold') release.isHeld = true;
  else if (!release.isHeld) return 'RES_CONFLICT';
  else release.isHeld = false;
  return undefined;
};

const promotableCode = ({ status, isHeld: isOnHold }: Release): Code => {
  if (status === 'deprecated') return 'REL_DEPRECATED';
  return status === 'ready' && !isOnHold ? undefined : 'REL_NOT_READY';
};

const digestSet = ({ components }: Release): string =>
  components
    .map(({ name, digest }) => `${name}@${digest}`)
    .toSorted()
    .join();

// Promotions

const isOpen = ({ state }: Promotion): boolean => ['pending', 'approved', 'deploying'].includes(state);

/** Environments in which a release has landed verified, and was not rolled back since. */
const landedOf = (model: Model, release: Release): Environment[] =>
  model.deployments
    .filter(({ promotion, state, landing }) => {
      const isLanded = state === 'completed' && landing === 'verified';
      return promotion.release === release && isLanded;
    })
    .map(environmentOf);

/** Whether an environment that takes one product at a time has an open promotion of another one. */
const isOccupied = (model: Model, release: Release, environment: Environment): boolean =>
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

const pathRefusal = (model: Model, release: Release, environment: Environment): Code => {
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

const isUnacknowledged = (model: Model, release: Release, acknowledged: readonly Deployment[]): boolean =>
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

// Deployments

export const activeIn = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  model.deployments.find(
    (each) => isRunning(each) && productOf(each) === product && environmentOf(each) === environment,
  );

/** Running deployment of another product, where the environment takes one product at a time. */
const occupantOf = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  environment.isExclusive
    ? model.deployments.find(
        (each) => isRunning(each) && productOf(each) !== product && environmentOf(each) === environment,
      )
    : undefined;

const busy = ({ kind }: Deployment): string =>
  kind === 'rollback' ? 'DEPLOY_ROLLBACK_IN_PROGRESS' : 'DEPLOY_IN_PROGRESS';

const LAUNCH: Readonly<Partial<Record<Promotion['state'], string>>> = {
  pending: 'PROM_APPROVER_REQUIRED',
  deploying: 'DEPLOY_IN_PROGRESS',
};

/** Starts a deployment on the targets that it reaches; those that belong to nobody are its product's from then on. */
const start = (
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

const newestIn = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  model.deployments.findLast((each) => productOf(each) === product && environmentOf(each) === environment);

/** Deployment in effect: the newest that completed without a mismatch and was not undone. */
export const currentIn = (model: Model, product: Product, environment: Environment): Deployment | undefined =>
  model.deployments.findLast(
    (each) =>
      productOf(each) === product &&
      environmentOf(each) === environment &&
      ['completed', 'rollback_in_progress', 'rollback_failed'].includes(each.state) &&
      (each.landing === 'verified' || each.landing === 'unverified'),
  );

/** Verified deployments of other releases than what runs, newest first, those that were undone last. */
const earlierIn = (model: Model, product: Product, environment: Environment): Deployment[] => {
  const newest = newestIn(model, product, environment);
  if (!newest || !['completed', 'failed', 'cancelled'].includes(newest.state)) return [];
  const verified = new Map<Release, Deployment>();
  for (const each of model.deployments.toReversed()) {
    const { release } = each.promotion;
    const isVerified = each.landing === 'verified' && !isRunning(each) && !['failed', 'cancelled'].includes(each.state);
    if (isVerified && productOf(each) === product && environmentOf(each) === environment && !verified.has(release))
      verified.set(release, each);
  }
  if (newest.state === 'completed') verified.delete(newest.promotion.release);
  const all = [...verified.values()];
  return [...all.filter(({ state }) => state === 'completed'), ...all.filter(({ state }) => state !== 'completed')];
};

export const rollbackChoices = (model: Model, product: Product, environment: Environment): Deployment[] =>
  earlierIn(model, product, environment).filter(({ promotion }) => !promotion.release.isHeld);

export const deployedTo = (model: Model, environment: Environment): Product[] => [
  ...new Set(model.deployments.filter((each) => environmentOf(each) === environment).map(productOf)),
];

export const rollBack = (
  model: Model,
  environment: Environment,
  named: Product | undefined,
  expected: Deployment | undefined,
): Code => {
  const deployed = deployedTo(model, environment);
  const product = named ?? (expected && productOf(expected));
  if (!product && deployed.length > 1) return 'VAL_REQUIRED_FIELD';
  const rolled = product ?? deployed[0];
  const newest = rolled && newestIn(model, rolled, environment);
  if (!newest || !rolled) return 'DEPLOY_NOTHING_TO_ROLLBACK';
  if (isRunning(newest)) return busy(newest);
  const isWanted = (each: Deployment): boolean => expected === undefined || each === expected;
  const restored = rollbackChoices(model, rolled, environment).find(isWanted);
  if (!restored) {
    const isOnHold = earlierIn(model, rolled, environment).some(
      (each) => isWanted(each) && each.promotion.release.isHeld,
    );
    return isOnHold ? 'REL_NOT_READY' : 'DEPLOY_NOTHING_TO_ROLLBACK';
  }
  const otherPromotion = occupantOf(model, rolled, environment);
  if (otherPromotion) return busy(otherPromotion);
  const targets = reach(model, rolled, environment, 'rollback');
  if (targets.length === 0) return 'DEPLOY_NO_TARGETS';
  start(model, restored.promotion, 'rollback', targets, newest);
  newest.state = 'rollback_in_progress';
  return undefined;
};

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

// Estate

export type EstateState = 'in_sync' | 'drift' | 'unobserved';

/** Records that an agent sees a component with a digest on a target. */
export const observe = (target: Target, component: string, digest: string): void => {
  target.seen.set(component, digest);
};

/** Lists the components of enabled targets: expected and silent, reported and expected or not. */
export const estateOf = ({ targets }: Model) =>
  targets
    .filter((target) => target.isEnabled && isLive(target))
    .flatMap((target) =>
      [...new Set([...target.approved.keys(), ...target.seen.keys()])].map((component) => {
        const digest = target.seen.get(component) ?? null;
        const state: EstateState =
          digest === null ? 'unobserved' : digest === target.approved.get(component) ? 'in_sync' : 'drift';
        return { target, component, state };
      }),
    );
