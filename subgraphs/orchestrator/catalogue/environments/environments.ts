import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { evidenceTypes, separations, stageKinds, strategies } from '../../shared/enums.ts';
import { expectVersion } from '../../shared/expected-version.ts';
import { expectedVersion, label } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { readsById } from '../../shared/read-operations.ts';
import { administers, reads } from '../../shared/scopes.ts';
import { getIntegration } from '../integrations/integrations.ts';
import { analysisPolicyInput, toPolicy } from './analysis-policy.ts';
import { removeRefusal } from './environment-rules.ts';
import * as store from './environments.store.ts';
import { evidencePolicyInput, toEvidencePolicy } from './evidence-policy.ts';
import { defaultParams, expectAnalysis, strategyParamsInput, withParams } from './strategy-params.ts';

const orderIndex = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const stageKind = oneOf(...stageKinds);

const optional = {
  requiredApprovals: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  approvingClientIds: Type.Optional(Type.Array(idOf('Client'), { maxItems: 20, uniqueItems: true })),
  separationOfDuties: Type.Optional(oneOf(...separations)),
  requiredEvidence: Type.Optional(Type.Array(oneOf(...evidenceTypes), { uniqueItems: true })),
  evidencePolicy: Type.Optional(evidencePolicyInput),
  defaultStrategy: Type.Optional(oneOf(...strategies)),
  strategyParams: Type.Optional(strategyParamsInput),
  deployTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 86_400 })),
  isExclusive: Type.Optional(Type.Boolean()),
};

const defaults: Omit<store.EnvironmentPolicy, 'name' | 'orderIndex' | 'stageKind'> = {
  requiredApprovals: 1,
  approvingClientIds: [],
  separationOfDuties: 'off',
  requiredEvidence: [],
  evidencePolicy: [],
  defaultStrategy: 'all_at_once',
  strategyParams: defaultParams,
  analysis: null,
  deployTimeoutSeconds: 600,
  isExclusive: false,
};

/** Complete policy of an environment for its event, so that readers need no earlier event. */
const rulesOf = ({ name, stageKind, orderIndex: order, requiredApprovals, ...rest }: store.EnvironmentPolicy) => ({
  name,
  stageKind,
  orderIndex: order,
  requiredApprovals,
  approvingClientIds: rest.approvingClientIds,
  separationOfDuties: rest.separationOfDuties,
  requiredEvidence: rest.requiredEvidence,
  evidencePolicy: rest.evidencePolicy,
  defaultStrategy: rest.defaultStrategy,
  deployTimeoutSeconds: rest.deployTimeoutSeconds,
  isExclusive: rest.isExclusive,
});

const strategyFields = (
  base: Pick<store.EnvironmentPolicy, 'strategyParams' | 'analysis'>,
  params: Static<typeof strategyParamsInput> | undefined,
  analysis: Static<typeof analysisPolicyInput> | null | undefined,
): Pick<store.EnvironmentPolicy, 'strategyParams' | 'analysis'> => {
  const fields = {
    strategyParams: params === undefined ? base.strategyParams : withParams(defaultParams, params, 'strategyParams'),
    analysis: analysis === undefined ? base.analysis : analysis && toPolicy(analysis),
  };
  expectAnalysis(fields.strategyParams.gate === 'analysis', fields.analysis, 'strategyParams');
  return fields;
};

/** Checks that an analysis policy names a metrics server; throws Fault RES_NOT_FOUND, VAL_INVALID_VALUE. */
const expectMetrics = async (query: Query, tenant: TenantId, analysis: store.EnvironmentPolicy['analysis']) => {
  if (!analysis) return;
  const { integrationId: id } = analysis;
  const integration = await getIntegration(query, tenant, id);
  if (integration.kind !== 'metrics')
    throw invalid([
      { field: 'analysis.integrationId', message: 'must be an integration of kind metrics', code: 'VAL_INVALID_VALUE' },
    ]);
};

/** Default quota of environments of a tenant. */
export const MAX_ENVIRONMENTS = 20;

/** Creates the operations on environments, in which a tenant's releases run. */
export const createEnvironments = ({ operation, ids }: Deps) => ({
  list: operation({
    name: 'environment.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    run: (caller, _input, query) => store.list(query, caller.tenant),
  }),

  get: operation({
    name: 'environment.get',
    ...readsById('Environment', 'RES_ENVIRONMENT_NOT_FOUND'),
    scope: reads,
    run: (caller, { id }, query) => store.get(query, caller.tenant, id),
  }),

  create: operation({
    name: 'environment.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      name: label,
      orderIndex,
      stageKind,
      ...optional,
      analysis: Type.Optional(analysisPolicyInput),
    }),
    raises: ['ENV_QUOTA_EXCEEDED', 'RES_NOT_FOUND', 'ENV_INVALID_ORDER', 'RES_ALREADY_EXISTS'],
    example: { name: 'Staging', orderIndex: 10, stageKind: 'stage' },
    async run(caller, input, tx) {
      const have = await store.lockAndCount(tx, caller.tenant);
      if (have >= MAX_ENVIRONMENTS)
        throw new Fault(
          'ENV_QUOTA_EXCEEDED',
          `The tenant has all ${MAX_ENVIRONMENTS} environments that it may have. Remove one that is not used, first.`,
          {
            have,
            max: MAX_ENVIRONMENTS,
          },
        );
      const id = toId(ids.uuid(), 'Environment');
      const evidencePolicy = toEvidencePolicy(input.evidencePolicy ?? []);
      const policy = {
        ...defaults,
        ...input,
        evidencePolicy,
        ...strategyFields(defaults, input.strategyParams, input.analysis),
      };
      await expectMetrics(tx, caller.tenant, policy.analysis);
      const environment = await store.insert(tx, caller.tenant, id, policy, caller.subject);
      await publishEvent(tx, caller, 'environment.create', 'Environment', environment, {
        ...input,
        rules: rulesOf(environment),
      });
      return environment;
    },
  }),

  update: operation({
    name: 'environment.update',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      id: idOf('Environment'),
      expectedVersion,
      name: Type.Optional(label),
      orderIndex: Type.Optional(orderIndex),
      stageKind: Type.Optional(stageKind),
      ...optional,
      // Null removes it.
      analysis: Type.Optional(Type.Union([analysisPolicyInput, Type.Null()])),
    }),
    raises: [
      'RES_ENVIRONMENT_NOT_FOUND',
      'RES_VERSION_CONFLICT',
      'RES_NOT_FOUND',
      'ENV_INVALID_ORDER',
      'RES_ALREADY_EXISTS',
    ],
    example: { id: exampleId('Environment'), expectedVersion: 1, requiredApprovals: 2 },
    async run(caller, { id, expectedVersion: expected, ...changes }, tx) {
      const current = await store.getLocked(tx, caller.tenant, id);
      expectVersion(current, expected);
      const { id: _id, createdAt: _createdAt, version: _version, ...previous } = current;
      const policy = {
        ...previous,
        ...changes,
        evidencePolicy: changes.evidencePolicy ? toEvidencePolicy(changes.evidencePolicy) : current.evidencePolicy,
        ...strategyFields(current, changes.strategyParams, changes.analysis),
      };
      if (changes.analysis) await expectMetrics(tx, caller.tenant, policy.analysis);
      const environment = await store.update(tx, caller.tenant, id, policy, caller.subject);
      await publishEvent(tx, caller, 'environment.update', 'Environment', environment, {
        ...changes,
        rules: rulesOf(environment),
      });
      return environment;
    },
  }),

  remove: operation({
    name: 'environment.remove',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('Environment'), expectedVersion }),
    raises: ['RES_ENVIRONMENT_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('Environment'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      expectVersion(await store.getLocked(tx, caller.tenant, id), expected);
      refuse(removeRefusal(await store.listUses(tx, caller.tenant, [id])));
      const environment = await store.remove(tx, caller.tenant, id, caller.subject);
      await publishEvent(tx, caller, 'environment.remove', 'Environment', environment, { name: environment.name });
      return environment;
    },
  }),
});
