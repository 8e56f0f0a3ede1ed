import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';

export interface Landed {
  readonly targetId: Id<'Target'>;
  readonly releaseId: Id<'Release'>;
  readonly deploymentId: Id<'Deployment'>;
}

/** Replaces the approved components of a target by a release's; of an index, each platform manifest is accepted. */
export const replace = (tx: Tx, tenant: TenantId, { targetId, releaseId, deploymentId }: Landed) =>
  tx.run(sql`/* orchestrator.approved_components.replace */
    with landed as (
      select c.name as component, c.digest,
        coalesce(
          (select array_agg(p.digest order by p.platform) from orchestrator.component_platforms as p
            where p.tenant = ${tenant} and p.release_id = c.release_id and p.component = c.name),
          array[c.digest]) as accepted
      from orchestrator.release_components as c
      where c.tenant = ${tenant} and c.release_id = ${releaseId} and c.digest is not null
    ), gone as (
      delete from orchestrator.approved_components
      where tenant = ${tenant} and target_id = ${targetId} and component not in (select component from landed)
    )
    insert into orchestrator.approved_components
      (tenant, target_id, component, release_id, deployment_id, digest, accepted)
    select ${tenant}, ${targetId}, component, ${releaseId}, ${deploymentId}, digest, accepted from landed
    on conflict (tenant, target_id, component) do update set
      release_id = excluded.release_id, deployment_id = excluded.deployment_id, digest = excluded.digest,
      accepted = excluded.accepted, landed_at = kernel.now()`);
