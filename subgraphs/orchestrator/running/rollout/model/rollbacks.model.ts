import { busy, newestIn, occupantOf, start } from './deployments.model.ts';
import {
  type Code,
  type Deployment,
  type Environment,
  environmentOf,
  isRunning,
  type Model,
  type Product,
  productOf,
  type Release,
} from './entities.model.ts';
import { reach } from './targets.model.ts';

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
