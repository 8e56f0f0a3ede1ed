import { invalid } from '@landfall/kernel/core/fault';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { gates } from '../../shared/enums.ts';

/** Complete parameters of a strategy, as an environment stores them and the planner reads them. */
export const strategyParams = Type.Object({
  /** Rolling strategy: share of the targets in one batch, in per cent. */
  batchPercent: Type.Integer({ minimum: 1, maximum: 100 }),
  /** Ascending shares of the traffic in per cent, or of the targets where no router divides the traffic. */
  canarySteps: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { minItems: 1, maxItems: 10 }),
  gate: oneOf(...gates),
});

export type StrategyParams = Static<typeof strategyParams>;

/** Strategy parameters as a caller sends them; absent ones take the defaults. */
export const strategyParamsInput = Type.Partial(strategyParams);

export const defaultParams: StrategyParams = { batchPercent: 25, canarySteps: [10, 50, 100], gate: 'manual' };

const stepsProblem = (steps: readonly number[]): string | undefined => {
  if (steps.some((step, i) => i > 0 && step <= (steps[i - 1] ?? 0))) return 'must be ascending';
  return steps.at(-1) === 100 ? undefined : 'must end in 100: a deployment leaves no target half deployed';
};

/** Merges params over the defaults; throws Fault VAL_INVALID_VALUE for steps that do not ascend to 100. */
export const withParams = (base: StrategyParams, overrides: Partial<StrategyParams> | undefined, field: string) => {
  const params = { ...base, ...overrides };
  const problem = stepsProblem(params.canarySteps);
  if (problem !== undefined)
    throw invalid([{ field: `${field}.canarySteps`, message: problem, code: 'VAL_INVALID_VALUE' }]);
  return params;
};

/** Throws Fault VAL_INVALID_VALUE for an analysis gate without an analysis policy, which nothing could open. */
export const expectAnalysis = (isNeeded: boolean, analysis: object | null, field: string): void => {
  if (isNeeded && analysis === null)
    throw invalid([
      {
        field: `${field}.gate`,
        message: 'must not be analysis while the environment has no analysis policy',
        code: 'VAL_INVALID_VALUE',
      },
    ]);
};
