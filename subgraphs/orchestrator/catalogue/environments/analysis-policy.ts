import { invalid } from '@landfall/kernel/core/fault';
import { idOf } from '@landfall/kernel/core/ids';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { templateProblem } from './analysis-template.ts';

const bound = Type.Union([Type.Number(), Type.Null()]);

/** Policy of a canary analysis: the metrics query and its bounds that decide about a closed gate. */
export const analysisPolicy = Type.Object({
  integrationId: idOf('Integration'),
  /** PromQL, with {{deployment}}, {{environment}}, {{release}} and {{digests}} to be filled in. */
  query: freeText(4_000),
  /** Lowest value that passes. */
  min: bound,
  /** Highest value that passes. */
  max: bound,
  intervalSeconds: Type.Integer({ minimum: 1, maximum: 3_600 }),
  /** Consecutive passes that open the gate. */
  passes: Type.Integer({ minimum: 1, maximum: 100 }),
  /** Total of failed measurements that halts the deployment. */
  failures: Type.Integer({ minimum: 1, maximum: 100 }),
});

export type AnalysisPolicy = Static<typeof analysisPolicy>;

const { integrationId, query, min, max, ...counts } = analysisPolicy.properties;

/** Analysis policy as a caller sends it. */
export const analysisPolicyInput = Type.Object({
  integrationId,
  query,
  min: Type.Optional(min),
  max: Type.Optional(max),
  ...Type.Partial(Type.Object(counts)).properties,
});

/**
 * Converts a caller's input to an analysis policy.
 * @throws Fault VAL_REQUIRED_FIELD without a bound, VAL_INVALID_VALUE for bounds that no value lies between,
 * VAL_INVALID_FORMAT for a query that cannot be filled in
 */
export const toPolicy = (input: Static<typeof analysisPolicyInput>): AnalysisPolicy => {
  const policy = { min: null, max: null, intervalSeconds: 10, passes: 3, failures: 1, ...input };
  if (policy.min === null && policy.max === null)
    throw invalid([{ field: 'analysis.max', message: 'is required where min is absent', code: 'VAL_REQUIRED_FIELD' }]);
  if (policy.min !== null && policy.max !== null && policy.min > policy.max)
    throw invalid([{ field: 'analysis.min', message: 'must not be above max', code: 'VAL_INVALID_VALUE' }]);
  const problem = templateProblem(policy.query);
  if (problem !== undefined) throw invalid([{ field: 'analysis.query', message: problem, code: 'VAL_INVALID_FORMAT' }]);
  return policy;
};
