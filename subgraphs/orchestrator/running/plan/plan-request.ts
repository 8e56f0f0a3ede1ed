import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import type { Environment } from '../../catalogue/environments/environment.ts';
import { expectAnalysis, strategyParamsInput, withParams } from '../../catalogue/environments/strategy-params.ts';
import { divideTraffic } from '../../catalogue/targets/drivers.ts';
import type { Target } from '../../catalogue/targets/target.ts';
import { strategies } from '../../shared/enums.ts';
import type { Plan } from './plan.ts';
import { plan } from './planner.ts';

/** Requested strategy of a deployment; absent fields take the environment's settings. */
export const strategyRequest = Type.Object({
  strategy: Type.Optional(oneOf(...strategies)),
  params: Type.Optional(strategyParamsInput),
});
export type StrategyRequest = Static<typeof strategyRequest>;

/** Plans a deployment; throws VAL_INVALID_VALUE for wrong params or an analysis gate without an analysis policy. */
export const planDeployment = (
  environment: Pick<Environment, 'defaultStrategy' | 'strategyParams' | 'analysis'>,
  targets: readonly Pick<Target, 'driver'>[],
  { strategy = environment.defaultStrategy, params }: StrategyRequest,
): Plan => {
  const planned = plan({
    strategy,
    targetCount: targets.length,
    params: withParams(environment.strategyParams, params, 'params'),
    hasTraffic: divideTraffic(targets),
  });
  const needsAnalysis = planned.phases.some(({ gate }) => gate === 'analysis');
  expectAnalysis(needsAnalysis, environment.analysis, 'params');
  return planned;
};
