import type { StepReport } from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as agents from '../../catalogue/agents/agent.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import {
  type Anatomy,
  classify,
  classifyReport,
  failureSubjectOf,
  type Reason,
  type Stage,
} from '../deployments/anatomy.ts';
import * as deployments from '../deployments/deployment.ts';
import { isEnded } from '../deployments/deployment-state.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { type GatedComponent, judgeTarget, type LandedComponent, type Landing } from '../deployments/landing.ts';
import { settle } from '../observations/observations.ts';
import { trafficOf } from '../plan/planner.ts';
import type { Advance } from './advance.ts';
import type { TaskListener, TaskRef } from './ports.ts';
import { describeStep, STAGE_OF } from './step-labels.ts';
import { noteLostWithdrawal, recordWithdrawal } from './withdrawal.ts';

const gatedOf = ({ components }: releases.Release): GatedComponent[] =>
  components.flatMap(({ name, digest, platforms }) => (digest === null ? [] : [{ name, digest, platforms }]));

/** Creates the listener that applies tasks' reports; the queue's transaction has locked promotion and deployment. */
export const createTaskListener = (advance: Advance): TaskListener => {
  const at = ({ deploymentId, targetId }: TaskRef) => ({ deploymentId, targetId });

  /** Runs an action on a task's deployment; a report on an ended one changes nothing, except for a withdrawal. */
  const withDeployment = async (
    tx: Tx,
    caller: Who,
    task: TaskRef,
    change: (deployment: deployments.Deployment) => Promise<unknown>,
    redacted = 0,
  ): Promise<void> => {
    const deployment = await deployments.findLocked(tx, caller.tenant, task.deploymentId);
    if (!deployment || (isEnded(deployment) && task.action === 'apply')) return;
    await change(deployment);
    const touched = await deployments.touch(tx, caller.tenant, task.deploymentId);
    await publishEvent(tx, caller, 'deployment.step', 'Deployment', touched, {
      target: task.targetId,
      ...(redacted > 0 && { redacted }),
    });
    await advance.advance(tx, caller, touched);
  };

  const failTarget = async (tx: Tx, caller: Who, task: TaskRef, anatomy: Anatomy, log?: string): Promise<void> => {
    await deploymentTargets.insertStep(tx, caller.tenant, at(task), anatomy.stage, 'failed', anatomy.detail);
    const logTail = log !== undefined && { logTail: log };
    await deploymentTargets.move(tx, caller.tenant, at(task), 'failed', { anatomy, ...logTail });
  };

  /** Fails a target whose task ended without a report. */
  const lose = (tx: Tx, caller: Who, task: TaskRef, stage: Stage, reason: Reason, detail: string): Promise<void> =>
    withDeployment(tx, caller, task, (deployment) =>
      task.action === 'withdraw'
        ? noteLostWithdrawal(tx, caller, task, detail)
        : failTarget(tx, caller, task, classify(stage, reason, detail, failureSubjectOf(deployment))),
    );

  /**
   * Judges a landing by the platform that the agent registered with and by our records, not by the report's own claims.
   */
  const judge = async (
    tx: Tx,
    caller: Who,
    task: TaskRef,
    deployment: deployments.Deployment,
    landed: readonly LandedComponent[],
  ): Promise<Landing | undefined> => {
    const release = await releases.find(tx, caller.tenant, deployment.releaseId);
    const platform = await agents.findPlatformOfTarget(tx, caller.tenant, task.targetId);
    return release && judgeTarget(gatedOf(release), landed, platform);
  };

  /** Records a mismatch as soon as it is reported: an agent refuses to switch to the release and reports no landing. */
  const notice = async (
    tx: Tx,
    caller: Who,
    task: TaskRef,
    deployment: deployments.Deployment,
    { components }: Extract<StepReport, { step: 'observed' }>,
  ): Promise<void> => {
    const landing = await judge(tx, caller, task, deployment, components);
    const mismatch = landing?.verdict === 'mismatch' ? { landing } : {};
    await deploymentTargets.move(tx, caller.tenant, at(task), 'running', mismatch);
  };

  /** Finds the digest of a mismatch: the one observed, or else an approved one that the agent's message names. */
  const mismatched = async (
    tx: Tx,
    caller: Who,
    { targetId }: TaskRef,
    deployment: deployments.Deployment,
    raw: string,
  ) => {
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const observedDigest = rows.find((row) => row.targetId === targetId)?.landing?.observedDigest;
    if (observedDigest) return observedDigest;
    const release = await releases.find(tx, caller.tenant, deployment.releaseId);
    const approved = release ? gatedOf(release) : [];
    return approved
      .flatMap(({ digest, platforms }) => [digest, ...platforms.map((child) => child.digest)])
      .find((digest) => raw.includes(digest));
  };

  /** Checks whether the phase of a target makes the release the current one there. */
  const retires = async (tx: Tx, caller: Who, task: TaskRef, deployment: deployments.Deployment): Promise<boolean> => {
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const index = rows.find(({ targetId }) => targetId === task.targetId)?.phaseIndex;
    const phase = deployment.plan.phases.find((each) => each.index === index);
    return phase !== undefined && trafficOf(deployment.plan, phase).retire;
  };

  const land = async (
    tx: Tx,
    caller: Who,
    task: TaskRef,
    deployment: deployments.Deployment,
    report: Extract<StepReport, { step: 'done' }>,
  ): Promise<void> => {
    const landing = await judge(tx, caller, task, deployment, report.components);
    if (landing?.verdict === 'mismatch') {
      const detail = `gated ${landing.gatedDigest}, fetched ${landing.manifestDigest}, running ${landing.observedDigest}`;
      const digest = landing.observedDigest ?? landing.manifestDigest ?? landing.gatedDigest;
      const anatomy = classify('health-probe', 'digest-mismatch', detail, { ...failureSubjectOf(deployment), digest });
      await deploymentTargets.move(tx, caller.tenant, at(task), 'failed', { anatomy, landing, logTail: report.log });
      return;
    }
    if (!(await retires(tx, caller, task, deployment))) {
      await deploymentTargets.move(tx, caller.tenant, at(task), 'held', { logTail: report.log });
      return;
    }
    await deploymentTargets.move(tx, caller.tenant, at(task), 'succeeded', {
      ...(landing && { landing }),
      logTail: report.log,
    });
    await settle(tx, caller, deployment, task.targetId, report.components);
  };

  return {
    async lock(tx, caller, deploymentId) {
      await deployments.lockDeployment(tx, caller, deploymentId);
    },

    onStep: (tx, caller, task, report) => {
      const record = async (deployment: deployments.Deployment): Promise<void> => {
        await failpoint('deploy.report.locked');
        if (task.action === 'withdraw') {
          await recordWithdrawal(tx, caller, task, report);
          return;
        }
        if (report.step === 'failed') {
          const digest =
            report.errorClass === 'digest-mismatch'
              ? await mismatched(tx, caller, task, deployment, report.raw)
              : undefined;
          await failTarget(
            tx,
            caller,
            task,
            classifyReport(report, { ...failureSubjectOf(deployment), digest }),
            report.log,
          );
          return;
        }
        const { step } = report;
        await deploymentTargets.insertStep(tx, caller.tenant, at(task), STAGE_OF[step], step, describeStep(report));
        if (report.step === 'started')
          await deploymentTargets.insertStep(tx, caller.tenant, at(task), 'health-probe', 'probing', null);
        if (report.step === 'done') await land(tx, caller, task, deployment, report);
        else if (report.step === 'observed') await notice(tx, caller, task, deployment, report);
        else await deploymentTargets.move(tx, caller.tenant, at(task), 'running');
        await failpoint('deploy.report.written');
      };
      return withDeployment(tx, caller, task, record, 'redacted' in report ? report.redacted : undefined);
    },

    onLeasedAgain: (tx, caller, task, attempt) =>
      withDeployment(tx, caller, task, () =>
        deploymentTargets.insertStep(tx, caller.tenant, at(task), 'retry-prep', 'leased', `attempt ${attempt}`),
      ),

    onUnsent: (tx, caller, task, reason, detail) => lose(tx, caller, task, 'bundle-assembly', reason, detail),

    onLost: (tx, caller, task, reason, detail) => lose(tx, caller, task, 'execution', reason, detail),
  };
};
