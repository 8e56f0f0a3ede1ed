import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type, { type Static } from 'typebox';
import { type HealthState, healthStates, targetDrivers, targetStates } from '../../shared/enums.ts';
import { type Labels, labels } from '../../shared/labels.ts';
import type { EnvironmentId } from '../environments/environment.ts';
import type { ProductId } from '../products/product.ts';
import { targetConfig } from './drivers.ts';

export type TargetId = Id<'Target'>;
export type AgentId = Id<'Agent'>;

export const secretRef = Type.Object({ variable: Type.String(), secret: Type.String() });

export type SecretRef = Static<typeof secretRef>;

const targets = table(
  'orchestrator.targets',
  {
    id: id('Target'),
    environmentId: id('Environment'),
    /** Product that the target carries; null until one is deployed to it. */
    productId: id('Product').nullable(),
    name: text,
    labels: json(labels),
    driver: oneOf(...targetDrivers),
    config: json(targetConfig),
    secretRefs: json(Type.Array(secretRef)),
    agentId: id('Agent').nullable(),
    state: oneOf(...targetStates),
    healthState: oneOf(...healthStates),
    healthCheckedAt: instant.nullable(),
    healthDetail: text.nullable(),
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'target',
    code: 'RES_TARGET_NOT_FOUND',
    live: sql`removed_at is null`,
    writes: { removedAt: instant, removedBy: text, createdBy: text, updatedBy: text, updatedAt: instant },
  },
);

/** Reads targets. A removed target is listed by its id, for the deployments that included it, and by nothing else. */
export const { find, findLocked, get, getLocked, listByIds, notFound } = targets;

export type Target = RowOf<typeof targets>;

/** Target with an agent. */
type Served = Target & { readonly agentId: AgentId };

export type NewTarget = Pick<
  Target,
  'environmentId' | 'productId' | 'name' | 'labels' | 'driver' | 'config' | 'secretRefs' | 'agentId'
>;

/** Checks that a target is neither draining nor disabled, so that deployments include it. */
export const isEnabled = ({ state }: Pick<Target, 'state'>): boolean => state !== 'draining' && state !== 'disabled';

/** Lists the targets of one environment, or of all, by name. */
export const list = (query: Query, tenant: TenantId, environment?: EnvironmentId) =>
  targets.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and removed_at is null
      and (${environment ?? null}::uuid is null or environment_id = ${environment ?? null})
    order by name, id`,
  );

/** Targets that a product's deployments include: its own, and maybe those that belong to no product, with these labels. */
export interface Reach {
  readonly productId: ProductId;
  /** Labels of the product's own targets. */
  readonly labels: Labels;
  /** Labels of targets without a product that may become its own; null for none. */
  readonly claims: Labels | null;
}

/** SQL condition: enabled targets of an environment within a reach. */
const isReached = (tenant: TenantId, environment: EnvironmentId, { productId, labels: own, claims }: Reach): Sql => sql`
  tenant = ${tenant} and environment_id = ${environment} and removed_at is null
    and state not in ('draining', 'disabled')
    and (product_id = ${productId} and labels @> ${jsonb(own)}::jsonb
      or product_id is null and labels @> ${claims && jsonb(claims)}::jsonb)`;

/** Lists the enabled targets of an environment that a product's deployments include, by name. */
export const listReached = (query: Query, tenant: TenantId, environment: EnvironmentId, reach: Reach) =>
  targets.listWhere(query, 'listReached', sql`${isReached(tenant, environment, reach)} order by name, id`);

/** Lists and locks the targets within a reach by name, so that none is removed, disabled, claimed or changed. */
export const lockEnabled = (tx: Tx, tenant: TenantId, environment: EnvironmentId, reach: Reach) =>
  targets.listWhere(
    tx,
    'lockEnabled',
    sql`${isReached(tenant, environment, reach)} order by name, id for no key update`,
  );

export const listByEnvironments = (query: Query, tenant: TenantId, environments: readonly EnvironmentId[]) =>
  targets.listWhere(
    query,
    'listByEnvironments',
    sql`tenant = ${tenant} and environment_id = any(${environments}::uuid[]) and removed_at is null
    order by name, id`,
  );

export const listByProducts = async (query: Query, tenant: TenantId, products: readonly ProductId[]) => {
  const found = await targets.listWhere(
    query,
    'listByProducts',
    sql`tenant = ${tenant} and product_id = any(${products}::uuid[]) and removed_at is null
    order by name, id`,
  );
  return found.flatMap(({ productId, ...target }) => (productId === null ? [] : [{ ...target, productId }]));
};

/** Lists the targets of an agent. Removed targets have no agent. */
export const listByAgent = (query: Query, tenant: TenantId, agent: AgentId): Promise<Served[]> =>
  listByAgents(query, tenant, [agent]);

export const listByAgents = async (query: Query, tenant: TenantId, agents: readonly string[]): Promise<Served[]> => {
  const found = await targets.listWhere(
    query,
    'listByAgents',
    sql`tenant = ${tenant} and agent_id = any(${agents}::uuid[]) order by name, id`,
  );
  return found.flatMap(({ agentId, ...target }) => (agentId === null ? [] : [{ ...target, agentId }]));
};

const duplicateName = (name: string): Fault =>
  new Fault('RES_ALREADY_EXISTS', `A target called ${name} is already in this environment.`, { name });

/** Inserts a target. @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, id: TargetId, values: NewTarget, by: string): Promise<Target> =>
  onConflict(targets.insert(tx, tenant, { id, ...values, createdBy: by, updatedBy: by }), 'targets_name', () =>
    duplicateName(values.name),
  );

const change = (
  tx: Tx,
  tenant: TenantId,
  target: TargetId,
  by: string,
  changes: Parameters<typeof targets.update>[3],
) => targets.update(tx, tenant, target, { ...changes, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Updates the settings of a target. @throws Fault RES_ALREADY_EXISTS */
export const update = (
  tx: Tx,
  tenant: TenantId,
  target: TargetId,
  values: Pick<Target, 'name' | 'productId' | 'labels' | 'config' | 'secretRefs'>,
  by: string,
): Promise<Target> =>
  onConflict(change(tx, tenant, target, by, values), 'targets_name', () => duplicateName(values.name));

export const assign = (tx: Tx, tenant: TenantId, target: TargetId, agentId: AgentId, by: string): Promise<Target> =>
  change(tx, tenant, target, by, { agentId });

/** Gives targets that belong to no product to this one. */
export const claim = (tx: Tx, tenant: TenantId, ids: readonly TargetId[], product: ProductId, by: string) =>
  tx.list(
    targets,
    sql`/* orchestrator.targets.claim */
    update orchestrator.targets
    set product_id = ${product}, updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = any(${ids}::uuid[]) and product_id is null
    returning ${targets.columns}`,
  );

const carryingShape = table('orchestrator.targets.carrying', { isCarrying: boolean });

/** Checks whether something landed on a target, or may have been started there. */
export const isCarrying = async (query: Query, tenant: TenantId, target: TargetId): Promise<boolean> => {
  const row = await query.get(
    carryingShape,
    sql`/* orchestrator.targets.isCarrying */
    select exists (select from orchestrator.approved_components where tenant = ${tenant} and target_id = ${target})
      or exists (select from orchestrator.observations
        where tenant = ${tenant} and target_id = ${target} and running) as is_carrying`,
  );
  return row.isCarrying;
};

/** Disables a target; its health stays as last reported. */
export const disable = (tx: Tx, tenant: TenantId, target: TargetId, by: string): Promise<Target> =>
  change(tx, tenant, target, by, { state: 'disabled' });

/** Enables a target. Its health is unknown until its agent reports it. */
export const enable = (tx: Tx, tenant: TenantId, target: TargetId, detail: string, by: string): Promise<Target> =>
  change(tx, tenant, target, by, {
    state: sql`case when health_checked_at is null then 'enrolled' else 'unknown' end`,
    healthState: 'unknown',
    healthDetail: detail,
  });

/** Removes a target: it loses its agent, its name becomes free, and only rows that refer to it find it. */
export const remove = (tx: Tx, tenant: TenantId, target: TargetId, by: string): Promise<Target> =>
  change(tx, tenant, target, by, { state: 'disabled', agentId: null, removedAt: sql`kernel.now()`, removedBy: by });

const uses = table('orchestrator.targets.uses', { targetId: id('Target'), deploymentId: id('Deployment') });

/** Lists the running deployments that include these targets. */
export const listUses = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    uses,
    sql`/* orchestrator.targets.listUses */
    select t.target_id, t.deployment_id from orchestrator.deployment_targets as t
    join orchestrator.deployments as d on d.tenant = t.tenant and d.id = t.deployment_id
    where t.tenant = ${tenant} and t.target_id = any(${ids}::uuid[]) and d.completed_at is null
    order by t.target_id, t.deployment_id`,
  );

const touched = table('orchestrator.targets.touched', { id: id('Target'), version: integer });

/** Increments the version of targets after a change of what runs there. */
export const touch = (tx: Tx, tenant: TenantId, ids: readonly TargetId[]) =>
  tx.list(
    touched,
    sql`/* orchestrator.targets.touch */
    update orchestrator.targets set version = version + 1
    where tenant = ${tenant} and id = any(${ids}::uuid[])
    returning ${touched.columns}`,
  );

/** Health reported by the agent. A draining or disabled target keeps its state. */
export interface Health {
  readonly state: HealthState;
  readonly detail: string | null;
}

/** Records a health check; the version increases only when the health changed, so that a heartbeat is no event. */
export const recordHealth = (tx: Tx, tenant: TenantId, target: TargetId, { state, detail }: Health, by: string) =>
  tx.get(
    targets,
    sql`/* orchestrator.targets.recordHealth */
    update orchestrator.targets
    set health_state = ${state}, health_detail = ${detail}, health_checked_at = kernel.now(),
      state = case when state in ('draining', 'disabled') then state else ${state} end,
      updated_by = ${by}, updated_at = kernel.now(),
      version = version + case when health_state = ${state} and health_detail is not distinct from ${detail}
        then 0 else 1 end
    where tenant = ${tenant} and id = ${target}
    returning ${targets.columns}`,
  );
