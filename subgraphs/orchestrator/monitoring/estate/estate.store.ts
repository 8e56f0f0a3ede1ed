import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { count, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { empty, type Sql, sql, trusted } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { OFFLINE_SECONDS } from '../../catalogue/agents/liveness.ts';
import { deployingComponents, isActiveDeviation, isHeard, silence } from './conditions.ts';
import { type EstateState, estateStates } from './estate-rule.ts';

/** SQL: every component of a tenant's estate with its state by the rule `orchestrator.estate_state`. */
export const estate = (tenant: TenantId): Sql => sql`
  select coalesce(a.id, o.id) as id, t.environment_id, t.product_id, target_id, t.name as target_name, component,
    orchestrator.estate_state(
      ${isHeard} and o.agent_id = g.id and o.told_at > ${silence}, o.running, o.digest,
      coalesce(a.accepted, '{}') || coalesce(u.accepted, '{}')
    ) as state,
    a.digest as approved_digest, a.accepted, case when o.running then o.digest end as observed_digest,
    case
      when g.id is null then 'no agent serves the target'
      when g.state in ('offline', 'revoked') then 'its agent is ' || g.state
      when o.id is null or o.agent_id <> g.id then 'its agent has not told of it'
      when least(o.told_at, g.last_heartbeat_at) <= ${silence} then 'its agent has not told of it for ${trusted(String(OFFLINE_SECONDS))} s'
      else o.reason
    end as reason,
    o.observed_at
  from (select * from orchestrator.approved_components where tenant = ${tenant}) as a
  full join (select * from orchestrator.observations where tenant = ${tenant}) as o using (target_id, component)
  left join (${deployingComponents(tenant)}) as u using (target_id, component)
  join orchestrator.targets as t on t.tenant = ${tenant} and t.id = target_id and t.state not in ('draining', 'disabled')
  left join orchestrator.agents as g on g.tenant = ${tenant} and g.id = t.agent_id`;

const status = table('orchestrator.estate.status', {
  deployedComponents: count,
  total: count,
  drift: count,
  inSync: count,
  unobserved: count,
  observingAgents: count,
  agents: count,
  deviations: count,
});

export type EstateStatus = RowOf<typeof status>;

export const countAll = (query: Query, tenant: TenantId) =>
  query.get(
    status,
    sql`/* orchestrator.estate.countAll */
    with component as (${estate(tenant)}), serving as (
      select g.id, ${isHeard} as is_observing
      from orchestrator.agents as g
      where g.tenant = ${tenant} and exists (select from orchestrator.targets as t
        where t.tenant = ${tenant} and t.agent_id = g.id and t.state not in ('draining', 'disabled'))
    )
    select count(approved_digest) as deployed_components, count(*) as total,
      count(*) filter (where state = 'drift') as drift,
      count(*) filter (where state = 'in_sync') as in_sync,
      count(*) filter (where state = 'unobserved') as unobserved,
      (select count(*) from serving where is_observing) as observing_agents,
      (select count(*) from serving) as agents,
      (select count(*) from orchestrator.deviations as d where ${isActiveDeviation(tenant)}) as deviations
    from component`,
  );

const componentColumns = {
  id: id('Observation'),
  environmentId: id('Environment'),
  targetId: id('Target'),
  component: text,
  state: oneOf(...estateStates),
  approvedDigest: text.nullable(),
  observedDigest: text.nullable(),
  reason: text.nullable(),
  observedAt: instant.nullable(),
  /** Position in the list: by state, promotion path, target name. */
  rank: integer,
  orderIndex: integer,
  targetName: text,
} as const;

const components = table('orchestrator.estate.component', componentColumns);

export type ComponentRow = RowOf<typeof components>;

export interface EstateFilter {
  readonly productId?: Id<'Product'>;
  readonly environmentId?: Id<'Environment'>;
  readonly component?: string;
  readonly state?: EstateState;
}

/** SQL condition: rows of a filter. Without a state, those that are not in sync. */
const matching = ({ productId, environmentId, component, state }: EstateFilter): Sql => sql`
  ${state === undefined ? sql`state <> 'in_sync'` : sql`state = ${state}`}
  ${productId === undefined ? empty : sql`and product_id = ${productId}`}
  ${environmentId === undefined ? empty : sql`and environment_id = ${environmentId}`}
  ${component === undefined ? empty : sql`and component = ${component}`}`;

const ranked = (tenant: TenantId): Sql => sql`
  select c.*, array_position(${[...estateStates]}::text[], c.state) as rank, e.order_index
  from (${estate(tenant)}) as c
  join orchestrator.environments as e on e.tenant = ${tenant} and e.id = c.environment_id`;

/** Start of a page: after the last row of the previous page. */
export type Position = Pick<ComponentRow, 'rank' | 'orderIndex' | 'targetName' | 'component'>;

const behind = ({ rank, orderIndex, targetName, component }: Position): Sql =>
  sql`and (rank, order_index, target_name, component) > (${rank}, ${orderIndex}, ${targetName}, ${component})`;

export const list = (
  query: Query,
  tenant: TenantId,
  filter: EstateFilter,
  page: { readonly limit: number; readonly after?: Position | undefined },
) =>
  query.list(
    components,
    sql`/* orchestrator.estate.list */
    select ${components.columns} from (${ranked(tenant)}) as c
    where ${matching(filter)} ${page.after === undefined ? empty : behind(page.after)}
    order by rank, order_index, target_name, component
    limit ${page.limit}`,
  );

const counted = table('orchestrator.estate.counted', { total: count });

export const countMatching = async (query: Query, tenant: TenantId, filter: EstateFilter): Promise<number> => {
  const { total } = await query.get(
    counted,
    sql`/* orchestrator.estate.countMatching */
    select count(*) as total from (${estate(tenant)}) as c where ${matching(filter)}`,
  );
  return total;
};

export const find = (query: Query, tenant: TenantId, component: Id<'Observation'>) =>
  query.find(
    components,
    sql`/* orchestrator.estate.find */
    select ${components.columns} from (${ranked(tenant)}) as c where id = ${component}`,
  );

/** Lists targets on which a digest was last observed, as itself or as a platform's manifest of the index. */
export const listByDigest = (query: Query, tenant: TenantId, digest: Digest) =>
  query.list(
    components,
    sql`/* orchestrator.estate.listByDigest */
    select ${components.columns} from (${ranked(tenant)}) as c
    where observed_digest = ${digest} or (approved_digest = ${digest} and observed_digest = any(accepted))
    order by order_index, target_name, component`,
  );

const located = table('orchestrator.estate.located', {
  ...componentColumns,
  /** Digest of the request. */
  digest: text,
});

/** Lists targets on which these digests were last observed, in one reading of the estate. */
export const listByDigests = (query: Query, tenant: TenantId, digests: readonly string[]) =>
  query.list(
    located,
    sql`/* orchestrator.estate.listByDigests */
    select ${components.of('c')}, requested.digest from (${ranked(tenant)}) as c
    join unnest(${digests}::text[]) as requested (digest)
      on observed_digest = requested.digest or (approved_digest = requested.digest and observed_digest = any(accepted))
    order by order_index, target_name, component`,
  );

const images = table('orchestrator.estate.image', { digest: text });

/**
 * Lists digests that run, in byte order: what agents observe, and the approved digest of an index whose platform's
 * manifest is observed.
 */
export const listRunning = (
  query: Query,
  tenant: TenantId,
  page: { readonly limit: number; readonly after: string | undefined },
) =>
  query.list(
    images,
    sql`/* orchestrator.estate.listRunning */
    select distinct digest collate "C" as digest from (${estate(tenant)}) as c
    cross join lateral (values (observed_digest), (case when observed_digest = any(accepted) then approved_digest end))
      as running (digest)
    where running.digest is not null and (${page.after ?? null}::text is null or running.digest collate "C" > ${page.after ?? null})
    order by 1 limit ${page.limit}`,
  );

const cells = table('orchestrator.estate.cell', {
  productId: id('Product').nullable(),
  environmentId: id('Environment'),
  component: text,
  total: count,
  drift: count,
  inSync: count,
  unobserved: count,
});

export type EstateCell = RowOf<typeof cells>;

/** Lists the cells of the estate by promotion path, then by component and product. */
export const listCells = (query: Query, tenant: TenantId) =>
  query.list(
    cells,
    sql`/* orchestrator.estate.listCells */
    select product_id, environment_id, component, count(*) as total,
      count(*) filter (where state = 'drift') as drift,
      count(*) filter (where state = 'in_sync') as in_sync,
      count(*) filter (where state = 'unobserved') as unobserved
    from (${ranked(tenant)}) as c
    group by order_index, environment_id, component, product_id
    order by order_index, component,
      (select name from orchestrator.products as p where p.tenant = ${tenant} and p.id = product_id)`,
  );

const matrix = table('orchestrator.estate.matrix', {
  productId: id('Product').nullable(),
  environmentId: id('Environment'),
  component: text,
  releaseId: id('Release').nullable(),
  deploymentId: id('Deployment').nullable(),
  digest: text.nullable(),
  deployedAt: instant.nullable(),
  state: oneOf(...estateStates).nullable(),
  targets: count,
  elsewhere: count,
});

export type MatrixCell = RowOf<typeof matrix>;

/** SQL: the worst state of grouped components `c`. */
export const worst = sql`case when bool_or(c.state = 'drift') then 'drift' when bool_or(c.state = 'unobserved') then 'unobserved'
  when bool_or(c.state = 'in_sync') then 'in_sync' end`;

/**
 * Lists the cells of the estate matrix by component and environment: the digest of the current deployment, the worst
 * state, the number of targets where the component landed last, and how many of these run it from another release than
 * the current one.
 * @param current current deployments of the environments
 */
export const listMatrix = (query: Query, tenant: TenantId, current: readonly Id<'Deployment'>[]) =>
  query.list(
    matrix,
    sql`/* orchestrator.estate.listMatrix */
    with here as (
      select product_id, environment_id, component, ${worst} as state
      from (${estate(tenant)}) as c
      group by product_id, environment_id, component
    ), landed as (
      select d.product_id, d.environment_id, c.name as component, d.release_id, d.id as deployment_id, c.digest,
        d.completed_at as deployed_at
      from orchestrator.deployments as d
      join orchestrator.release_components as c on c.tenant = ${tenant} and c.release_id = d.release_id
      where d.tenant = ${tenant} and d.id = any(${current}::uuid[])
    ), carried as (
      select t.product_id, t.environment_id, a.component, a.release_id, count(*) as n
      from orchestrator.approved_components as a
      join orchestrator.targets as t on t.tenant = ${tenant} and t.id = a.target_id and t.state not in ('draining', 'disabled')
      where a.tenant = ${tenant}
      group by t.product_id, t.environment_id, a.component, a.release_id
    )
    select product_id, environment_id, component, landed.release_id, deployment_id, digest, deployed_at, state,
      carrying.targets, carrying.elsewhere
    from landed full join here using (product_id, environment_id, component)
    cross join lateral (
      select coalesce(sum(n), 0)::bigint as targets,
        coalesce(sum(n) filter (where a.release_id is distinct from landed.release_id), 0)::bigint as elsewhere
      from carried as a
      where a.product_id = here.product_id and a.environment_id = here.environment_id and a.component = here.component
        or a.product_id = landed.product_id and a.environment_id = landed.environment_id
          and a.component = landed.component
    ) as carrying
    order by (select name from orchestrator.products as p where p.tenant = ${tenant} and p.id = product_id),
      component, environment_id`,
  );
