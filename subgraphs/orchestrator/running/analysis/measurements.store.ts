import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { double, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

type DeploymentId = Id<'Deployment'>;

const measurements = table('orchestrator.canary_measurements', {
  deploymentId: id('Deployment'),
  phaseIndex: integer,
  value: double.nullable(),
  verdict: oneOf('pass', 'fail', 'unknown'),
  detail: text,
  at: instant,
});

export type Measurement = RowOf<typeof measurements>;

/** Lists the measurements of deployments, oldest first. */
export const listByDeployments = (query: Query, tenant: TenantId, deployments: readonly DeploymentId[]) =>
  query.list(
    measurements,
    sql`/* orchestrator.measurements.listByDeployments */
    select ${measurements.columns} from orchestrator.canary_measurements
    where tenant = ${tenant} and deployment_id = any(${deployments}::uuid[])
    order by deployment_id, id`,
  );

export const listAtGate = (query: Query, tenant: TenantId, deployment: DeploymentId, phaseIndex: number) =>
  query.list(
    measurements,
    sql`/* orchestrator.measurements.listAtGate */
    select ${measurements.columns} from orchestrator.canary_measurements
    where tenant = ${tenant} and deployment_id = ${deployment} and phase_index = ${phaseIndex}
    order by id`,
  );

export const { insert } = measurements;
