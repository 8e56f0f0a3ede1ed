import type { StepReport } from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { settleObservations } from '../observations/observations.ts';
import type { TaskRef } from './ports.ts';
import { describeStep } from './step-labels.ts';

const STAGE = 'traffic-gate';

type Where = Pick<TaskRef, 'deploymentId' | 'targetId'>;

const at = ({ deploymentId, targetId }: Where) => ({ deploymentId, targetId });

/** Records the reports of a withdrawal. The target is settled even when the withdrawal failed. */
export const recordWithdrawal = async (tx: Tx, caller: Who, task: TaskRef, report: StepReport): Promise<void> => {
  const step = report.step === 'done' ? 'withdrawn' : report.step === 'failed' ? 'not-withdrawn' : report.step;
  await deploymentTargets.insertStep(tx, caller.tenant, at(task), STAGE, step, describeStep(report));
  if (report.step !== 'done' && report.step !== 'failed') return;
  await deploymentTargets.move(tx, caller.tenant, at(task), 'cancelled', { logTail: report.log });
  if (report.step === 'done')
    await settleObservations(tx, caller.tenant, caller.subject, task.targetId, report.components);
};

/**
 * Records a withdrawal that no agent will execute: the target counts as settled, and the timeline says what is unknown.
 */
export const noteLostWithdrawal = async (tx: Tx, caller: Who, task: Where, detail: string): Promise<void> => {
  await deploymentTargets.insertStep(tx, caller.tenant, at(task), STAGE, 'not-withdrawn', detail);
  await deploymentTargets.move(tx, caller.tenant, at(task), 'cancelled');
};
