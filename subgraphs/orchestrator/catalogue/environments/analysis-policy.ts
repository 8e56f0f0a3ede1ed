import { invalid } from '@landfall/kernel/core/fault';
import { idOf } from '@landfall/kernel/core/ids';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { templateProblem } from './analysis-template.ts';

const bound = Type.Union([Type.Number(), Type.Null()]);

/** Policy by which metrics judge a canary while its gate is closed. */
export const analysisPolicy = Type.Object({
  integrationId: idOf('Integration'),
  /** PromQL, with {{deployment}}, {{environment}}, {{release}} and {{digests}} to be filled in. */
  query: freeText(4_000),
  /** A value below it fails. */
  min: bound,
  /** A value above it fails. */
  max: bound,
  intervalSeconds: Type.Integer({ minimum: 1, maximum: 3_600 }),
  /** So many in a row open the gate. */
  passes: Type.Integer({ minimum: 1, maximum: 100 }),
  /** So many in all halt the deployment. */
  failures: Type.Integer({ minimum: 1, maximum: 100 }),
});

export type AnalysisPolicy = Static<typeof analysisPolicy>;

const { integrationId, query, min, max, ...counts } = analysisPolicy.properties;

/** As somebody says it. */
export const analysisPolicyInput = Type.Object({
  integrationId,
  query,
  min: Type.Optional(min),
  max: Type.Optional(max),
  ...Type.Partial(Type.Object(counts)).properties,
});

/**
 * The policy that somebody's words make.
 * @throws Fault VAL_REQUIRED_FIELD without a bound, VAL_INVALID_VALUE for bounds that no value lies between,
 *   VAL_INVALID_FORMAT for a query that cannot be filled in
 */
export const toPolicy = (given: Static<typeof analysisPolicyInput>): AnalysisPolicy => {
  const policy = { min: null, max: null, intervalSeconds: 10, passes: 3, failures: 1, ...given };
  if (policy.min === null && policy.max === null)
    throw invalid([{ field: 'analysis.max', message: 'is required where min is absent', code: 'VAL_REQUIRED_FIELD' }]);
  if (policy.min !== null && policy.max !== null && policy.min > policy.max)
    throw invalid([{ field: 'analysis.min', message: 'must not be above max', code: 'VAL_INVALID_VALUE' }]);
  const problem = templateProblem(policy.query);
  if (problem !== undefined) throw invalid([{ field: 'analysis.query', message: problem, code: 'VAL_INVALID_FORMAT' }]);
  return policy;
};
