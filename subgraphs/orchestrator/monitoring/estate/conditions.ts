import type { TenantId } from '@landfall/kernel/core/ids';
import { type Sql, sql, trusted } from '@landfall/kernel/db/sql';
import { OFFLINE_SECONDS } from '../../catalogue/agents/liveness.ts';

export const silence = trusted(`kernel.now() - interval '${OFFLINE_SECONDS} s'`);

/**
 * SQL condition: agent `g` is online, by its state and by its last heartbeat, since silence detection may lag behind.
 */
export const isHeard = sql`g.state in ('active', 'stale') and g.last_heartbeat_at > ${silence}`;

/**
 * SQL: components that a running deployment may have started on a target before it landed there. A release with all of
 * the traffic while its gate is closed is no drift.
 */
export const deployingComponents = (tenant: TenantId): Sql => sql`
  select at.target_id, c.name as component, coalesce(
      (select array_agg(p.digest) from orchestrator.component_platforms as p
        where p.tenant = ${tenant} and p.release_id = c.release_id and p.component = c.name),
      array[c.digest]) as accepted
  from orchestrator.deployments as d
  join orchestrator.deployment_targets as at
    on at.tenant = ${tenant} and at.deployment_id = d.id and at.state in ('running', 'held')
  join orchestrator.release_components as c on c.tenant = ${tenant} and c.release_id = d.release_id
  where d.tenant = ${tenant} and d.state in ('in_progress', 'paused', 'cancelling')`;

/** SQL condition: deviation `d` is neither revoked nor expired, and its target is enabled. */
export const isActiveDeviation = (tenant: TenantId): Sql => sql`
  d.tenant = ${tenant} and d.revoked_at is null and d.expires_at > kernel.now()
    and exists (select from orchestrator.targets as t
      where t.tenant = ${tenant} and t.id = d.target_id and t.state not in ('draining', 'disabled'))`;
