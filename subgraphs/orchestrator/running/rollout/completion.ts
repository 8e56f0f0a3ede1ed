import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { drivers } from '../../catalogue/targets/drivers.ts';
import * as targets from '../../catalogue/targets/target.ts';
import * as promotions from '../../deciding/promotions/promotion.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { type Anatomy, classify, failureSubjectOf } from '../deployments/anatomy.ts';
import * as deployments from '../deployments/deployment.ts';
import * as deploymentPhases from '../deployments/deployment-phase.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { move } from '../deployments/phase-transitions.ts';
import { settleRolledBack } from '../deployments/undone-deployment.ts';
import { isOverlapping } from '../plan/planner.ts';
import { rollbackAnatomy } from '../rollback/rollback-rule.ts';
import type { Dispatch } from './dispatch.ts';
import type { LandingStatements, TaskQueue } from './ports.ts';

/** Time for which a cancelled deployment waits for its withdrawals, in seconds; later ones are still executed. */
const CANCEL_SECONDS = 120;

type Row = deploymentTargets.DeploymentTarget;

const OPEN: ReadonlySet<Row['state']> = new Set(['pending', 'running', 'held']);

/** Failed targets without a router, where the release may have replaced the former one already. */
const placed = async (tx: Tx, caller: Who, rows: readonly Row[]): Promise<ReadonlySet<Id<'Target'>>> => {
  const failed = rows.filter(({ state, anatomy }) => state === 'failed' && anatomy?.reason !== 'target-removed');
  const ids = failed.map(({ targetId }) => targetId);
  const known = await targets.listByIds(tx, caller.tenant, ids);
  return new Set(known.filter(({ driver }) => !drivers[driver].hasRouter).map(({ id }) => id));
};

/** Targets where the release may run or be about to run, beside the former release or instead of it. */
const touched = async (
  tx: Tx,
  caller: Who,
  { plan }: deployments.Deployment,
  rows: readonly Row[],
  targets: readonly Id<'Target'>[],
): Promise<Id<'Target'>[]> => {
  const placedTargets = await placed(tx, caller, rows);
  const mayHave = ({ targetId, state, phaseIndex }: Row): boolean =>
    targets.includes(targetId) ||
    placedTargets.has(targetId) ||
    state === 'held' ||
    // From its second phase on a target runs the release of the first one, whether or not this phase succeeded.
    (isOverlapping(plan) && (phaseIndex > 0 || state === 'failed'));
  return rows.filter((row) => row.state !== 'succeeded' && mayHave(row)).map(({ targetId }) => targetId);
};

/** Settles the promotion with its deployment. A failed rollback leaves its promotion unchanged. */
const settlePromotion = async (tx: Tx, caller: Who, deployment: deployments.Deployment): Promise<void> => {
  const state = deployment.state === 'completed' ? 'deployed' : 'failed';
  if (deployment.kind === 'rollback' && state === 'failed') return;
  const changed = [await promotions.setState(tx, caller.tenant, deployment.promotionId, state, caller.subject)];
  if (state === 'deployed')
    for (const row of await promotions.supersede(tx, caller.tenant, deployment, caller.subject))
      changed.push({ ...row, approvals: [] });
  for (const promotion of changed)
    await publishEvent(tx, caller, `promotion.${promotion.state}`, 'Promotion', promotion, {
      deployment: deployment.id,
    });
};

/** Finds a digest mismatch, which precedes every other cause, since it must never be retried (spec 3). */
const mismatchOf = (rows: readonly Row[]): Anatomy | undefined =>
  rows.find(({ state, anatomy }) => state === 'failed' && anatomy?.category === 'DigestMismatch')?.anatomy ?? undefined;

interface Failing {
  /** Reason given by the caller. */
  readonly reason?: string;
  /** Whether open targets fail with the deployment, instead of being returned to the former release. */
  readonly withTargets: boolean;
}

interface CompletionDeps {
  readonly queue: TaskQueue;
  readonly handingOut: Dispatch;
  readonly statements: LandingStatements;
}

/** Creates the functions that end deployments; the promotion is locked before the deployment. */
export const createCompletion = ({ queue, handingOut, statements }: CompletionDeps) => {
  const end = async (
    tx: Tx,
    caller: Who,
    deployment: deployments.Deployment,
    state: 'completed' | 'failed' | 'cancelled',
    settled: deployments.Settled = {},
  ): Promise<deployments.Deployment> => {
    const completed = await move(tx, caller, deployment, state, settled);
    await settlePromotion(tx, caller, completed);
    await settleRolledBack(tx, caller, completed);
    if (completed.state === 'completed' && completed.landing === 'verified')
      await statements.landed(tx, caller, completed);
    await failpoint('deploy.ended');
    return completed;
  };

  /** Fails a deployment with its open targets, phases and tasks. Ended ones are unchanged. */
  const failWith = async (
    tx: Tx,
    caller: Who,
    deployment: deployments.Deployment,
    anatomy: Anatomy,
    { reason, withTargets }: Failing,
  ): Promise<void> => {
    const phases = await deploymentPhases.listByDeployments(tx, caller.tenant, [deployment.id]);
    const before = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const superseded = await queue.supersede(tx, caller, deployment.id);
    const running = withTargets ? phases.find(({ status }) => status === 'running') : undefined;
    await deploymentTargets.endOpen(
      tx,
      caller.tenant,
      deployment.id,
      running && { phaseIndex: running.index, anatomy },
    );
    await deploymentPhases.endAll(tx, caller.tenant, deployment.id, 'failed');
    await handingOut.withdraw(tx, caller, deployment, await touched(tx, caller, deployment, before, superseded));
    const isForeign = before.some(({ landing }) => landing?.verdict === 'mismatch');
    const cause = (withTargets ? mismatchOf(before) : undefined) ?? anatomy;
    await end(tx, caller, deployment, 'failed', {
      anatomy: deployment.kind === 'rollback' ? rollbackAnatomy(cause, failureSubjectOf(deployment)) : cause,
      ...(isForeign && { landing: 'mismatch' as const }),
      ...(reason !== undefined && { reason }),
    });
  };

  /** Ends a cancelled deployment once all of its targets are settled. */
  const settleCancel = async (tx: Tx, caller: Who, deployment: deployments.Deployment): Promise<void> => {
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    if (!rows.some(({ state }) => OPEN.has(state))) await end(tx, caller, deployment, 'cancelled');
  };

  return {
    end,
    settleCancel,

    fail: (tx: Tx, caller: Who, deployment: deployments.Deployment, anatomy: Anatomy): Promise<void> =>
      failWith(tx, caller, deployment, anatomy, { withTargets: true }),

    /** Halts a deployment for a person or its analysis: targets return to the former release. */
    halt: (tx: Tx, caller: Who, deployment: deployments.Deployment, reason: string): Promise<void> =>
      failWith(tx, caller, deployment, classify('traffic-gate', 'gate-halted', reason, failureSubjectOf(deployment)), {
        reason,
        withTargets: false,
      }),

    /** Begins the cancellation of a deployment, which ends once its targets are settled; at once if it reached none. */
    async cancel(tx: Tx, caller: Who, deployment: deployments.Deployment, reason: string): Promise<void> {
      const before = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
      const back = await touched(tx, caller, deployment, before, await queue.supersede(tx, caller, deployment.id));
      await deploymentTargets.cancelOthers(tx, caller.tenant, deployment.id, back);
      await deploymentPhases.endAll(tx, caller.tenant, deployment.id, 'done');
      await handingOut.withdraw(tx, caller, deployment, back);
      await move(tx, caller, deployment, 'cancelling', { reason });
      await settleCancel(tx, caller, await deployments.setDeadline(tx, caller.tenant, deployment.id, CANCEL_SECONDS));
    },

    /** Ends a cancelled deployment whose agents do not report; their withdrawals stay queued. */
    async giveUp(tx: Tx, caller: Who, deployment: deployments.Deployment): Promise<void> {
      const detail = `nothing was heard of it for ${CANCEL_SECONDS} s`;
      await deploymentTargets.insertStepForAll(tx, caller.tenant, deployment.id, 'execution', 'unheard', detail);
      await deploymentTargets.cancelOthers(tx, caller.tenant, deployment.id, []);
      await settleCancel(tx, caller, deployment);
    },
  };
};
