import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type Deployment, deployments } from '../deployments/deployments.store.ts';

/** As many releases as anybody would choose from. */
const MAX_CHOICES = 20;

/** The last deployment of each environment, by the database's clock: ids are of servers, whose clocks differ. */
export const listNewestByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.rollback.listNewestByEnvironments */
    select distinct on (environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[])
    order by environment_id, created_at desc, id desc`,
  );

export const listVerifiedByEnvironments = (query: Query, tenant: TenantId, environmentIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.rollback.listVerifiedByEnvironments */
    select ${deployments.columns} from (
      select *, row_number() over (partition by environment_id order by created_at desc, id desc) as nth from (
        select distinct on (environment_id, release_id) * from orchestrator.deployments
        where tenant = ${tenant} and environment_id = any(${environmentIds}::uuid[])
          and landing = 'verified' and state in ('completed', 'rollback_in_progress', 'rolled_back', 'rollback_failed')
        order by environment_id, release_id, created_at desc, id desc
      ) as of_release
    ) as numbered
    where nth <= ${MAX_CHOICES}
    order by environment_id, created_at desc, id desc`,
  );

/** A locked deployment that has ended is about to be undone by a rollback. */
export const beginUndoing = (
  tx: Tx,
  tenant: TenantId,
  { id: undone, version }: Pick<Deployment, 'id' | 'version'>,
  rollback: Id<'Deployment'>,
) =>
  tx.get(
    deployments,
    sql`/* orchestrator.rollback.beginUndoing */
    update orchestrator.deployments
    set state = 'rollback_in_progress', undone_by_id = ${rollback}, version = version + 1
    where tenant = ${tenant} and id = ${undone} and version = ${version}
    returning ${deployments.columns}`,
  );
