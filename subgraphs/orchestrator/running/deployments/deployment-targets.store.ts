import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { type Anatomy, anatomyDocument, type Stage } from './anatomy.ts';
import { type Landing, landingDocument } from './landing.ts';

const deploymentTargets = table('orchestrator.deployment_targets', {
  deploymentId: id('Deployment'),
  targetId: id('Target'),
  name: text,
  agentId: id('Agent').nullable(),
  phaseIndex: integer,
  /** `held`: the target finished this phase. `cancelled`: it was not reached, or was returned to what it ran before. */
  state: oneOf('pending', 'running', 'held', 'succeeded', 'failed', 'cancelled'),
  anatomy: json(anatomyDocument).nullable(),
  landing: json(landingDocument).nullable(),
  logTail: text.nullable(),
});

export type DeploymentTarget = RowOf<typeof deploymentTargets>;

const steps = table('orchestrator.deployment_steps', {
  deploymentId: id('Deployment'),
  targetId: id('Target'),
  stage: text,
  step: text,
  detail: text.nullable(),
  at: instant,
});

export type Step = RowOf<typeof steps>;

type PlannedTarget = Pick<DeploymentTarget, 'targetId' | 'name' | 'agentId' | 'phaseIndex'>;

export const insertAll = (
  tx: Tx,
  tenant: TenantId,
  deploymentId: Id<'Deployment'>,
  targets: readonly PlannedTarget[],
) =>
  deploymentTargets.insertAll(
    tx,
    tenant,
    targets.map((target) => ({ ...target, deploymentId })),
  );

/** Lists the targets of deployments by phase, then by name. */
export const listByDeployments = (query: Query, tenant: TenantId, deploymentIds: readonly string[]) =>
  deploymentTargets.listWhere(
    query,
    'listByDeployments',
    sql`tenant = ${tenant} and deployment_id = any(${deploymentIds}::uuid[])
    order by deployment_id, phase_index, name`,
  );

export const listSteps = (query: Query, tenant: TenantId, deploymentIds: readonly string[]) =>
  query.list(
    steps,
    sql`/* orchestrator.deployment_targets.listSteps */
    select ${steps.columns} from orchestrator.deployment_steps
    where tenant = ${tenant} and deployment_id = any(${deploymentIds}::uuid[])
    order by deployment_id, target_id, id`,
  );

interface At {
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
}

export interface Outcome {
  readonly anatomy?: Anatomy;
  readonly landing?: Landing;
  readonly logTail?: string;
}

/** Changes the state of a target of a locked deployment, unless it is final. */
export const move = (
  tx: Tx,
  tenant: TenantId,
  { deploymentId, targetId }: At,
  state: DeploymentTarget['state'],
  { anatomy, landing, logTail }: Outcome = {},
) =>
  tx.run(sql`/* orchestrator.deployment_targets.move */
    update orchestrator.deployment_targets set
      state = ${state},
      anatomy = ${anatomy === undefined ? null : jsonb(anatomy)}::jsonb,
      landing = coalesce(${landing === undefined ? null : jsonb(landing)}::jsonb, landing),
      log_tail = coalesce(${logTail ?? null}, log_tail)
    where tenant = ${tenant} and deployment_id = ${deploymentId} and target_id = ${targetId}
      and state in ('pending', 'running')`);

/** Moves targets that finished a phase to the next one. */
export const moveOn = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>, phaseIndex: number) =>
  tx.run(sql`/* orchestrator.deployment_targets.moveOn */
    update orchestrator.deployment_targets set state = 'pending', phase_index = ${phaseIndex}
    where tenant = ${tenant} and deployment_id = ${deploymentId} and state = 'held'`);

/** Ends every open target: fails those of the failed phase that are not held, and cancels the others. */
export const endOpen = (
  tx: Tx,
  tenant: TenantId,
  deploymentId: Id<'Deployment'>,
  failed?: { readonly phaseIndex: number; readonly anatomy: Anatomy },
): Promise<number> => {
  const hasFailed = sql`coalesce(state <> 'held' and phase_index = ${failed?.phaseIndex ?? null}::integer, false)`;
  return tx.run(sql`/* orchestrator.deployment_targets.endOpen */
    update orchestrator.deployment_targets set
      state = case when ${hasFailed} then 'failed' else 'cancelled' end,
      anatomy = case when ${hasFailed} then ${failed ? jsonb(failed.anatomy) : null}::jsonb end
    where tenant = ${tenant} and deployment_id = ${deploymentId} and state in ('pending', 'running', 'held')`);
};

/** Cancels every open target except these, whose agents have a release to withdraw. */
export const cancelOthers = (
  tx: Tx,
  tenant: TenantId,
  deploymentId: Id<'Deployment'>,
  withdrawing: readonly Id<'Target'>[],
) =>
  tx.run(sql`/* orchestrator.deployment_targets.cancelOthers */
    update orchestrator.deployment_targets
    set state = case when target_id = any(${withdrawing}::uuid[]) then 'running' else 'cancelled' end
    where tenant = ${tenant} and deployment_id = ${deploymentId} and state in ('pending', 'running', 'held')`);

export const insertStep = (tx: Tx, tenant: TenantId, at: At, stage: Stage, step: string, detail: string | null) =>
  steps.insert(tx, tenant, { ...at, stage, step, detail });

/** Inserts the same timeline step for every open target of a deployment. */
export const insertStepForAll = async (
  tx: Tx,
  tenant: TenantId,
  deploymentId: Id<'Deployment'>,
  stage: Stage,
  step: string,
  detail: string | null,
): Promise<void> => {
  await tx.run(sql`/* orchestrator.deployment_targets.insertStepForAll */
    insert into orchestrator.deployment_steps (tenant, deployment_id, target_id, stage, step, detail)
    select tenant, deployment_id, target_id, ${stage}, ${step}, ${detail}
    from orchestrator.deployment_targets
    where tenant = ${tenant} and deployment_id = ${deploymentId} and state in ('pending', 'running', 'held')`);
};
