import {
  type Code,
  type Deployment,
  type Environment,
  isLive,
  isRunning,
  type Labels,
  type Model,
  type Product,
  type Target,
} from './entities.model.ts';
import { stepAt } from './paths.model.ts';

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
