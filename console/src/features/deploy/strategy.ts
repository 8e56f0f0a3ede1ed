import type { Strategy, StrategyChoiceFragment, TrafficGate } from '../../generated/operations.ts';
import { parseCanarySteps } from '../../lib/canary-steps.ts';
import { integer, type Search } from '../../lib/url-state.ts';

/** Strategy parameters of the URL; a missing one is the environment's. */
export type StrategySearch = Search<{ strategy: Strategy; batch: number; steps: string; gate: TrafficGate }>;

/** Strategy with all of its parameters, as a plan and a launch take them. */
export type Chosen = {
  readonly strategy: Strategy;
  readonly params: {
    readonly batchPercent: number;
    readonly canarySteps: readonly number[];
    readonly gate: TrafficGate;
  };
};

/** Chosen strategy: the URL's parameter where it has one, the environment's otherwise. */
export function chosenStrategy(search: StrategySearch, environment: StrategyChoiceFragment): Chosen {
  const { defaultStrategy, strategyParams } = environment;
  return {
    strategy: search.strategy ?? defaultStrategy,
    params: {
      batchPercent: search.batch ?? strategyParams.batchPercent,
      canarySteps: parseCanarySteps(search.steps ?? '') ?? strategyParams.canarySteps,
      gate: search.gate ?? strategyParams.gate,
    },
  };
}

export const batchOf = integer(1, 100);

/** Text in the fields while it may be invalid; a field that was not touched is absent. */
export type StrategyText = { readonly batch?: string; readonly steps?: string };

/** Invalid fields of a strategy: a launch never uses a value the user does not see. */
export function unreadable({ batch, steps }: StrategyText, strategy: Strategy): readonly (keyof StrategyText)[] {
  const wrong: (keyof StrategyText)[] = [];
  if (strategy === 'ROLLING' && batch !== undefined && batchOf.read(batch) === undefined) wrong.push('batch');
  if (strategy === 'CANARY' && steps !== undefined && parseCanarySteps(steps) === undefined) wrong.push('steps');
  return wrong;
}
