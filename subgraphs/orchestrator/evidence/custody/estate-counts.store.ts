import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { deployingComponents, isHeard, silence } from '../../monitoring/estate/conditions.ts';

const estateCounts = table('orchestrator.custody.sighting', {
  releaseId: id('Release'),
  environmentId: id('Environment'),
  environmentName: text,
  total: count,
  drift: count,
  unobserved: count,
});

/** Counts the components in each estate state, by release and environment, where the release landed last. */
export const listEstateCounts = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  query.list(
    estateCounts,
    sql`/* orchestrator.custody.listSightings */
    with carrying as (
      select distinct release_id, target_id from orchestrator.approved_components
      where tenant = ${tenant} and release_id = any(${releases}::uuid[])
    ), thing as (
      select c.release_id, c.target_id, a.component, a.accepted
      from carrying as c
      join orchestrator.approved_components as a on a.tenant = ${tenant} and a.target_id = c.target_id
      union all
      select c.release_id, c.target_id, o.component, '{}'::text[]
      from carrying as c
      join orchestrator.observations as o on o.tenant = ${tenant} and o.target_id = c.target_id
      where not exists (select from orchestrator.approved_components as a
        where a.tenant = ${tenant} and a.target_id = c.target_id and a.component = o.component)
    ), seen as (
      select thing.release_id, t.environment_id, orchestrator.estate_state(
        ${isHeard} and o.agent_id = g.id and o.told_at > ${silence}, o.running, o.digest,
        thing.accepted || coalesce(u.accepted, '{}')) as state
      from thing
      join orchestrator.targets as t
        on t.tenant = ${tenant} and t.id = thing.target_id and t.state not in ('draining', 'disabled')
      left join orchestrator.observations as o
        on o.tenant = ${tenant} and o.target_id = thing.target_id and o.component = thing.component
      left join orchestrator.agents as g on g.tenant = ${tenant} and g.id = t.agent_id
      left join (${deployingComponents(tenant)}) as u on u.target_id = thing.target_id and u.component = thing.component
    )
    select seen.release_id, e.id as environment_id, e.name as environment_name, count(*) as total,
      count(*) filter (where seen.state = 'drift') as drift,
      count(*) filter (where seen.state = 'unobserved') as unobserved
    from seen
    join orchestrator.environments as e on e.tenant = ${tenant} and e.id = seen.environment_id
    group by seen.release_id, e.id, e.name, e.order_index
    order by seen.release_id, e.order_index`,
  );
