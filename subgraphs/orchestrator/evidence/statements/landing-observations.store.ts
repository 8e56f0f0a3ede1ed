import type { AttestationId } from '@landfall/attestation/statements/attestations.store';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const due = table('orchestrator.attestations.looked', { tenant: tenantId, id: id('Attestation') });

export type DueObservation = RowOf<typeof due>;

/** Leases attested landings whose observation is not stated yet. Across tenants, so by the system role. */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number) =>
  tx.list(
    due,
    sql`/* orchestrator.attestations.leaseObservations */
    with due as (
      select tenant, id from orchestrator.attestations
      where observe_at <= kernel.now()
      order by observe_at, id limit ${limit}
      for update skip locked
    )
    update orchestrator.attestations as a set observe_at = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where a.tenant = due.tenant and a.id = due.id
    returning a.tenant, a.id`,
  );

/** Schedules the next check after a quarter of the time since the landing: at least 5 s, at most a minute. */
export const postpone = (tx: Tx, tenant: TenantId, attestation: AttestationId) =>
  tx.run(sql`/* orchestrator.attestations.postponeObservation */
    update orchestrator.attestations
    set observe_at = kernel.now()
      + least(interval '60 s', greatest(interval '5 s', (kernel.now() - created_at) / 4))
    where tenant = ${tenant} and id = ${attestation}`);

export const end = (tx: Tx, tenant: TenantId, attestation: AttestationId) =>
  tx.run(sql`/* orchestrator.attestations.endObservation */
    update orchestrator.attestations set observe_at = null where tenant = ${tenant} and id = ${attestation}`);

const observationRows = table('orchestrator.observations.sight', {
  targetId: id('Target'),
  component: text,
  agentSpiffe: text.nullable(),
  gatedDigest: text,
  observedDigest: text.nullable(),
  at: instant.nullable(),
  /** Whether the target's own agent reported the landed digest in a heartbeat after the landing. */
  isSeen: boolean,
});

export type ComponentObservation = RowOf<typeof observationRows>;

/** Lists the last observation of each component on each target of a deployment. */
export const listComponents = (query: Query, tenant: TenantId, deployment: Id<'Deployment'>) =>
  query.list(
    observationRows,
    sql`/* orchestrator.observations.listComponents */
    select dt.target_id, c.name as component, g.spiffe_id as agent_spiffe, coalesce(c.digest, '') as gated_digest,
      o.digest as observed_digest, o.told_at as at,
      coalesce(
        o.running and o.digest = any(a.accepted) and o.told_at > d.completed_at and o.agent_id = t.agent_id
          and a.deployment_id = d.id and t.state not in ('draining', 'disabled'),
        false) as is_seen
    from orchestrator.deployments as d
    join orchestrator.deployment_targets as dt on dt.tenant = ${tenant} and dt.deployment_id = d.id
    join orchestrator.release_components as c
      on c.tenant = ${tenant} and c.release_id = d.release_id and c.digest is not null
    left join orchestrator.targets as t on t.tenant = ${tenant} and t.id = dt.target_id
    left join orchestrator.approved_components as a
      on a.tenant = ${tenant} and a.target_id = dt.target_id and a.component = c.name
    left join orchestrator.observations as o
      on o.tenant = ${tenant} and o.target_id = dt.target_id and o.component = c.name
    left join orchestrator.agents as g on g.tenant = ${tenant} and g.id = o.agent_id
    where d.tenant = ${tenant} and d.id = ${deployment}
    order by dt.target_id, c.name`,
  );
