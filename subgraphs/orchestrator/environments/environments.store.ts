import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import {
  count,
  id,
  instant,
  integer,
  json,
  oneOf,
  type RowOf,
  table,
  text,
  textArray,
} from '@landfall/kernel/db/table';
import { Fault } from '@landfall/kernel/fault';
import type { Id, TenantId } from '@landfall/kernel/ids';
import { oneOf as oneOfWords } from '@landfall/kernel/input';
import Type from 'typebox';
import { evidenceTypes, separations, stageKinds, strategies } from '../words.ts';
import { analysisPolicy } from './analysis-policy.ts';
import { strategyParams } from './strategy-params.ts';

export type EnvironmentId = Id<'Environment'>;

const environments = table('orchestrator.environments', {
  id: id('Environment'),
  name: text,
  orderIndex: integer,
  stageKind: oneOf(...stageKinds),
  requiredApprovals: integer,
  approvingClientIds: textArray,
  separationOfDuties: oneOf(...separations),
  requiredEvidence: json(Type.Array(oneOfWords(...evidenceTypes))),
  defaultStrategy: oneOf(...strategies),
  strategyParams: json(strategyParams),
  analysis: json(analysisPolicy).nullable(),
  deployTimeoutSeconds: integer,
  createdAt: instant,
  version: integer,
});

export type Environment = RowOf<typeof environments>;
/** What a person decides of an environment. */
export type EnvironmentPolicy = Omit<Environment, 'id' | 'createdAt' | 'version'>;

/** SQL's null, not JSON's. */
const document = (value: object | null): string | null => (value === null ? null : jsonb(value));

const nameTaken = (name: string) => () =>
  new Fault('RES_ALREADY_EXISTS', `An environment called ${name} is already there.`, { name });
const orderTaken = (orderIndex: number) => () =>
  new Fault('ENV_INVALID_ORDER', `Another environment has the order index ${orderIndex}.`, { orderIndex });

const unique = (write: Promise<Environment>, { name, orderIndex }: EnvironmentPolicy): Promise<Environment> =>
  onConflict(onConflict(write, 'environments_name', nameTaken(name)), 'environments_order', orderTaken(orderIndex));

/** The tenant's promotion path, in order. */
export const list = (query: Query, tenant: TenantId): Promise<Environment[]> =>
  query.list(
    environments,
    sql`/* orchestrator.environments.list */
    select ${environments.columns} from orchestrator.environments
    where tenant = ${tenant}
    order by order_index`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly EnvironmentId[]): Promise<Environment[]> =>
  query.list(
    environments,
    sql`/* orchestrator.environments.listByIds */
    select ${environments.columns} from orchestrator.environments
    where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

export const find = (query: Query, tenant: TenantId, environment: EnvironmentId): Promise<Environment | undefined> =>
  query.find(
    environments,
    sql`/* orchestrator.environments.find */
    select ${environments.columns} from orchestrator.environments
    where tenant = ${tenant} and id = ${environment}`,
  );

export const lock = (tx: Tx, tenant: TenantId, environment: EnvironmentId): Promise<Environment | undefined> =>
  tx.find(
    environments,
    sql`/* orchestrator.environments.lock */
    select ${environments.columns} from orchestrator.environments
    where tenant = ${tenant} and id = ${environment}
    for update`,
  );

const total = table('orchestrator.environments.count', { count });

/** How many there are, with the tenant's path locked until the transaction ends, so that a quota holds. */
export const lockAndCount = async (tx: Tx, tenant: TenantId): Promise<number> => {
  await tx.run(sql`/* orchestrator.environments.lockPath */
    select pg_advisory_xact_lock(hashtextextended('orchestrator.environments/' || ${tenant}, 0))`);
  const row = await tx.get(
    total,
    sql`/* orchestrator.environments.count */
    select count(*) as count from orchestrator.environments where tenant = ${tenant}`,
  );
  return row.count;
};

/** @throws Fault RES_ALREADY_EXISTS, ENV_INVALID_ORDER */
export const insert = (
  tx: Tx,
  tenant: TenantId,
  environment: EnvironmentId,
  policy: EnvironmentPolicy,
  by: string,
): Promise<Environment> =>
  unique(
    tx.get(
      environments,
      sql`/* orchestrator.environments.insert */
      insert into orchestrator.environments (tenant, id, name, order_index, stage_kind, required_approvals,
        approving_client_ids, separation_of_duties, required_evidence, default_strategy, strategy_params, analysis,
        deploy_timeout_seconds, created_by, updated_by)
      values (${tenant}, ${environment}, ${policy.name}, ${policy.orderIndex}, ${policy.stageKind},
        ${policy.requiredApprovals}, ${policy.approvingClientIds}, ${policy.separationOfDuties}, ${jsonb(policy.requiredEvidence)},
        ${policy.defaultStrategy}, ${jsonb(policy.strategyParams)}, ${document(policy.analysis)}::jsonb,
        ${policy.deployTimeoutSeconds}, ${by}, ${by})
      returning ${environments.columns}`,
    ),
    policy,
  );

/** @throws Fault RES_ALREADY_EXISTS, ENV_INVALID_ORDER */
export const update = (
  tx: Tx,
  tenant: TenantId,
  environment: EnvironmentId,
  policy: EnvironmentPolicy,
  by: string,
): Promise<Environment> =>
  unique(
    tx.get(
      environments,
      sql`/* orchestrator.environments.update */
      update orchestrator.environments
      set name = ${policy.name}, order_index = ${policy.orderIndex}, stage_kind = ${policy.stageKind},
        required_approvals = ${policy.requiredApprovals}, approving_client_ids = ${policy.approvingClientIds},
        separation_of_duties = ${policy.separationOfDuties},
        required_evidence = ${jsonb(policy.requiredEvidence)}, default_strategy = ${policy.defaultStrategy},
        strategy_params = ${jsonb(policy.strategyParams)}, analysis = ${document(policy.analysis)}::jsonb,
        deploy_timeout_seconds = ${policy.deployTimeoutSeconds},
        updated_by = ${by}, updated_at = kernel.now(), version = version + 1
      where tenant = ${tenant} and id = ${environment}
      returning ${environments.columns}`,
    ),
    policy,
  );
