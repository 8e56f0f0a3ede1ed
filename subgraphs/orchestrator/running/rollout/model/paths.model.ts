import type { Code, Environment, Model, Product, Step } from './entities.model.ts';

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

export const stepAt = (model: Model, product: Product, environment: Environment): Step | undefined =>
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
