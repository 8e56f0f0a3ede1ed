import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, json, oneOf, text, textArray, uuid } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { oneOf as oneOfWords } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { evidenceTypes, separations, stageKinds, strategies } from '../../shared/enums.ts';
import { analysisPolicy } from './analysis-policy.ts';
import { evidencePolicy } from './evidence-policy.ts';
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
    evidencePolicy: json(evidencePolicy),
    defaultStrategy: oneOf(...strategies),
    strategyParams: json(strategyParams),
    analysis: json(analysisPolicy).nullable(),
    deployTimeoutSeconds: integer,
    /** Whether one product at a time is promoted and deployed here. */
    isExclusive: boolean,
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'environment',
    code: 'RES_ENVIRONMENT_NOT_FOUND',
    live: sql`removed_at is null`,
    writes: { removedAt: instant, removedBy: text, createdBy: text, updatedBy: text, updatedAt: instant },
  },
);

export const { find, get, getLocked, listByIds, notFound } = environments;

export type Environment = RowOf<typeof environments>;
export type EnvironmentPolicy = Omit<Environment, 'id' | 'createdAt' | 'version'>;

const duplicateName = (name: string) => () =>
  new Fault('RES_ALREADY_EXISTS', `An environment called ${name} is already there.`, { name });
const orderConflict = (orderIndex: number) => () =>
  new Fault('ENV_INVALID_ORDER', `Another environment has the order index ${orderIndex}.`, { orderIndex });

const unique = (write: Promise<Environment>, { name, orderIndex }: EnvironmentPolicy): Promise<Environment> =>
  onConflict(
    onConflict(write, 'environments_name', duplicateName(name)),
    'environments_order',
    orderConflict(orderIndex),
  );

/** Lists the environments of a tenant in the order of the promotion path. */
export const list = (query: Query, tenant: TenantId) =>
  environments.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by order_index`);

/** Keeps environments from being removed or changed until the transaction ends; locked in the order of their ids. */
export const lockShared = (tx: Tx, tenant: TenantId, ids: readonly EnvironmentId[]) =>
  environments.listWhere(
    tx,
    'lockShared',
    sql`tenant = ${tenant} and id = any(${ids}::uuid[]) and removed_at is null order by id for share`,
  );

/** Serialises what promotes to and deploys to an exclusive environment, until the transaction ends. */
export const lockExclusively = (tx: Tx, tenant: TenantId, environment: EnvironmentId) =>
  tx.run(sql`/* orchestrator.environments.lockExclusively */
    select pg_advisory_xact_lock(hashtextextended('orchestrator.environments/' || ${tenant} || '/' || ${environment}, 0))`);

const total = table('orchestrator.environments.count', { count });

/** Counts environments and locks the tenant's promotion path until the transaction ends, so that a quota holds. */
export const lockAndCount = async (tx: Tx, tenant: TenantId): Promise<number> => {
  await tx.run(sql`/* orchestrator.environments.lockPath */
    select pg_advisory_xact_lock(hashtextextended('orchestrator.environments/' || ${tenant}, 0))`);
  const row = await tx.get(
    total,
    sql`/* orchestrator.environments.count */
    select count(*) as count from orchestrator.environments where tenant = ${tenant} and removed_at is null`,
  );
  return row.count;
};

/** Inserts an environment. @throws Fault RES_ALREADY_EXISTS, ENV_INVALID_ORDER */
export const insert = (tx: Tx, tenant: TenantId, id: EnvironmentId, policy: EnvironmentPolicy, by: string) =>
  unique(environments.insert(tx, tenant, { id, ...policy, createdBy: by, updatedBy: by }), policy);

/** Replaces the settings of an environment. @throws Fault RES_ALREADY_EXISTS, ENV_INVALID_ORDER */
export const update = (tx: Tx, tenant: TenantId, id: EnvironmentId, policy: EnvironmentPolicy, by: string) =>
  unique(environments.update(tx, tenant, id, { ...policy, updatedBy: by, updatedAt: sql`kernel.now()` }), policy);

/** Removes an environment: its name and order index become free, and only rows that refer to it find it. */
export const remove = (tx: Tx, tenant: TenantId, id: EnvironmentId, by: string): Promise<Environment> =>
  environments.update(tx, tenant, id, {
    removedAt: sql`kernel.now()`,
    removedBy: by,
    updatedBy: by,
    updatedAt: sql`kernel.now()`,
  });

const uses = table('orchestrator.environments.uses', {
  environmentId: id('Environment'),
  kind: oneOf('target', 'product', 'promotion'),
  id: uuid,
  name: text,
});

export type EnvironmentUse = RowOf<typeof uses>;

/** Lists the targets in these environments, the products whose own path includes them, and open promotions to them. */
export const listUses = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    uses,
    sql`/* orchestrator.environments.listUses */
    select environment_id, 'target' as kind, id, name from orchestrator.targets
    where tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[]) and removed_at is null
    union all
    select s.environment_id, 'product', p.id, p.name from orchestrator.path_steps as s
    join orchestrator.products as p on p.tenant = s.tenant and p.id = s.product_id
    where s.tenant = ${tenant} and s.environment_id = any(${environmentIds}::uuid[])
    union all
    select p.target_environment_id, 'promotion', p.id, r.name || ' ' || r.semver from orchestrator.promotions as p
    join orchestrator.releases as r on r.tenant = p.tenant and r.id = p.release_id
    where p.tenant = ${tenant} and p.target_environment_id = any(${environmentIds}::uuid[])
      and p.state in ('pending', 'approved', 'deploying')
    order by kind, name`,
  );
