import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
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
import { oneOf as oneOfWords } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { evidenceTypes, separations, stageKinds, strategies } from '../../shared/enums.ts';
import { analysisPolicy } from './analysis-policy.ts';
import { strategyParams } from './strategy-params.ts';

export type EnvironmentId = Id<'Environment'>;

const environments = table(
  'orchestrator.environments',
  {
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
  },
  {
    noun: 'environment',
    code: 'RES_ENVIRONMENT_NOT_FOUND',
    writes: { createdBy: text, updatedBy: text, updatedAt: instant },
  },
);

export const { find, get, getLocked, listByIds, notFound } = environments;

export type Environment = RowOf<typeof environments>;
export type EnvironmentPolicy = Omit<Environment, 'id' | 'createdAt' | 'version'>;

const nameTaken = (name: string) => () =>
  new Fault('RES_ALREADY_EXISTS', `An environment called ${name} is already there.`, { name });
const orderTaken = (orderIndex: number) => () =>
  new Fault('ENV_INVALID_ORDER', `Another environment has the order index ${orderIndex}.`, { orderIndex });

const unique = (write: Promise<Environment>, { name, orderIndex }: EnvironmentPolicy): Promise<Environment> =>
  onConflict(onConflict(write, 'environments_name', nameTaken(name)), 'environments_order', orderTaken(orderIndex));

/** Lists the environments of a tenant in the order of the promotion path. */
export const list = (query: Query, tenant: TenantId) =>
  environments.listWhere(query, 'list', sql`tenant = ${tenant} order by order_index`);

const total = table('orchestrator.environments.count', { count });

/** Counts environments and locks the tenant's promotion path until the transaction ends, so that a quota holds. */
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
export const insert = (tx: Tx, tenant: TenantId, id: EnvironmentId, policy: EnvironmentPolicy, by: string) =>
  unique(environments.insert(tx, tenant, { id, ...policy, createdBy: by, updatedBy: by }), policy);

/** @throws Fault RES_ALREADY_EXISTS, ENV_INVALID_ORDER */
export const update = (tx: Tx, tenant: TenantId, id: EnvironmentId, policy: EnvironmentPolicy, by: string) =>
  unique(environments.update(tx, tenant, id, { ...policy, updatedBy: by, updatedAt: sql`kernel.now()` }), policy);
