import { MAX_COMPONENTS } from '@landfall/agent/protocol/limits';
import type { Observation as Reported } from '@landfall/agent/protocol/messages';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { healthStates } from '../../shared/enums.ts';

const observations = table('orchestrator.observations', {
  id: id('Observation'),
  targetId: id('Target'),
  component: text,
  running: boolean,
  digest: text.nullable(),
  reason: text.nullable(),
  observedAt: instant,
});

export type Observation = RowOf<typeof observations>;

export const listByTargets = (query: Query, tenant: TenantId, targets: readonly string[]) =>
  observations.listWhere(
    query,
    'listByTargets',
    sql`tenant = ${tenant} and target_id = any(${targets}::uuid[])
    order by target_id, component`,
  );

/** Keeps the last report of each component. */
const distinct = (observations: readonly Reported[]): Reported[] => [
  ...new Map(observations.map((each) => [`${each.targetId}/${each.component}`, each])).values(),
];

const changes = table('orchestrator.observations.changed', {
  targetId: id('Target'),
  component: text,
  digest: text.nullable(),
  /** Whether the component drifted before and drifts now. */
  drifted: boolean,
  drifts: boolean,
});

export type Change = RowOf<typeof changes>;

/**
 * Stores what an agent observed on its own targets and returns the targets whose components changed. The agent's clock
 * is not trusted: no observation lies in the future, and an older one never replaces a newer one. A target stores at
 * most as many components as a release can have, and none that a later landing replaced.
 */
export const record = (tx: Tx, tenant: TenantId, agent: Id<'Agent'>, reported: readonly Reported[]) => {
  const all = distinct(reported);
  return tx.list(
    changes,
    sql`/* orchestrator.observations.record */
    with seen as (
      select s.target_id, s.component, s.running, s.digest, s.reason, least(s.observed_at, kernel.now()) as observed_at,
        o.running as running_before, o.digest as digest_before, o.target_id is null as is_new, a.accepted,
        row_number() over (partition by s.target_id, o.target_id is null order by s.component)
          + (select count(*) from orchestrator.observations as k where k.tenant = ${tenant} and k.target_id = s.target_id)
          as place
      from unnest(
        ${all.map(({ targetId }) => targetId)}::uuid[], ${all.map(({ component }) => component)}::text[],
        ${all.map(({ running }) => running)}::boolean[], ${all.map(({ digest }) => digest)}::text[],
        ${all.map(({ reason }) => reason)}::text[], ${all.map(({ observedAt }) => observedAt)}::timestamptz[]
      ) as s (target_id, component, running, digest, reason, observed_at)
      join orchestrator.targets as t on t.tenant = ${tenant} and t.id = s.target_id and t.agent_id = ${agent}
      left join orchestrator.observations as o
        on o.tenant = ${tenant} and o.target_id = s.target_id and o.component = s.component
      left join orchestrator.approved_components as a
        on a.tenant = ${tenant} and a.target_id = s.target_id and a.component = s.component
      where a.component is not null or o.component is not null or not exists (
        select from orchestrator.approved_components as l
        where l.tenant = ${tenant} and l.target_id = s.target_id and l.landed_at >= s.observed_at)
    ), kept as (
      insert into orchestrator.observations as o
        (tenant, target_id, component, agent_id, running, digest, reason, observed_at, told_at)
      select ${tenant}, target_id, component, ${agent}, running, digest, reason, observed_at, kernel.now() from seen
      where not is_new or place <= ${MAX_COMPONENTS}
      on conflict (tenant, target_id, component) do update set
        agent_id = excluded.agent_id, running = excluded.running, digest = excluded.digest, reason = excluded.reason,
        observed_at = excluded.observed_at, told_at = excluded.told_at
      where excluded.observed_at >= o.observed_at or excluded.agent_id <> o.agent_id
      returning target_id, component, running, digest
    )
    select k.target_id, k.component, k.digest,
      orchestrator.estate_state(true, s.running_before, s.digest_before, s.accepted) = 'drift' as drifted,
      orchestrator.estate_state(true, k.running, k.digest, s.accepted) = 'drift' as drifts
    from kept as k join seen as s using (target_id, component)
    where s.is_new or (s.running_before, s.digest_before) is distinct from (k.running, k.digest)
    order by target_id, component`,
  );
};

/** Agent's report about a component of a release that landed. */
export interface Landed {
  readonly name: string;
  readonly observedDigest: string | null;
  readonly reason: string | null;
}

/**
 * Records the components of a landed release as running and deletes those that ran before. The time is the agent's, so
 * that the next heartbeat is not older. A report of an agent that no longer serves the target is ignored.
 */
export const settle = (tx: Tx, tenant: TenantId, agent: string, target: Id<'Target'>, landed: readonly Landed[]) => {
  const names = landed.map(({ name }) => name);
  return tx.run(sql`/* orchestrator.observations.settle */
    with gone as (
      delete from orchestrator.observations as o using orchestrator.targets as t
      where o.tenant = ${tenant} and o.target_id = ${target} and o.component <> all(${names}::text[])
        and t.tenant = o.tenant and t.id = o.target_id and t.agent_id::text = ${agent}
    )
    insert into orchestrator.observations as o
      (tenant, target_id, component, agent_id, running, digest, reason, observed_at, told_at)
    select ${tenant}, t.id, s.component, g.id, true, s.digest, s.reason,
      kernel.now() + make_interval(secs => least(coalesce(g.clock_skew_ms, 0), 0) / 1000.0), kernel.now()
    from unnest(${names}::text[], ${landed.map(({ observedDigest }) => observedDigest)}::text[],
      ${landed.map(({ reason }) => reason)}::text[]) as s (component, digest, reason)
    join orchestrator.targets as t on t.tenant = ${tenant} and t.id = ${target} and t.agent_id::text = ${agent}
    join orchestrator.agents as g on g.tenant = ${tenant} and g.id = t.agent_id
    on conflict (tenant, target_id, component) do update set
      agent_id = excluded.agent_id, running = excluded.running, digest = excluded.digest, reason = excluded.reason,
      observed_at = excluded.observed_at, told_at = excluded.told_at`);
};

const judged = table('orchestrator.observations.judged', {
  targetId: id('Target'),
  health: oneOf(...healthStates),
  /** Unhealthy components. */
  components: text.nullable(),
});

export type Judged = RowOf<typeof judged>;

/** Lists enabled targets whose health differs from their agent's observations, which expire after `seconds`. */
export const listChangedHealth = (query: Query, tenant: TenantId, agent: Id<'Agent'>, seconds: number) =>
  query.list(
    judged,
    sql`/* orchestrator.observations.listChangedHealth */
    with seen as (
      select o.target_id, o.component, o.running, t.health_state,
        o.told_at <= kernel.now() - make_interval(secs => ${seconds}) as is_missing
      from orchestrator.targets as t
      join orchestrator.observations as o on o.tenant = t.tenant and o.target_id = t.id and o.agent_id = t.agent_id
      where t.tenant = ${tenant} and t.agent_id = ${agent} and t.state not in ('draining', 'disabled')
    ), judged as (
      select target_id, health_state,
        case when bool_or(not running) then 'unhealthy' when bool_or(is_missing) then 'unknown' else 'healthy' end as health,
        coalesce(string_agg(component, ', ' order by component) filter (where not running),
          string_agg(component, ', ' order by component) filter (where is_missing)) as components
      from seen group by target_id, health_state
    )
    select target_id, health, components from judged where health <> health_state order by target_id`,
  );
