import type { Who } from '@landfall/kernel/core/caller';
import type { Ids } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as environments from '../../catalogue/environments/environment.ts';
import { type Anatomy, classify, failureSubjectOf } from '../deployments/anatomy.ts';
import type { Deployment } from '../deployments/deployment.ts';
import { type DeploymentPhase, listByDeployments as listPhases } from '../deployments/deployment-phase.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { groupFailures } from '../deployments/failure-groups.ts';
import { worst } from '../deployments/landing.ts';
import { move, movePhase, pause } from '../deployments/phase-transitions.ts';
import { isOverlapping } from '../plan/planner.ts';
import type { PreflightReport } from '../preflight/preflight-rules.ts';
import { createCompletion } from './completion.ts';
import { createDispatch } from './dispatch.ts';
import type { LandingStatements, TaskQueue } from './ports.ts';
import { listUnhealthy } from './unhealthy-targets.ts';

type Row = deploymentTargets.DeploymentTarget;

const AT_WORK: ReadonlySet<Row['state']> = new Set(['pending', 'running']);

/** Cause of a failed deployment: that of its largest group of failed targets. */
const causeOf = (failed: readonly Row[]): Anatomy | undefined => groupFailures(failed)[0]?.anatomy;

interface AdvanceDeps {
  readonly ids: Ids;
  readonly queue: TaskQueue;
  readonly statements: LandingStatements;
}

export type Advance = ReturnType<typeof createAdvance>;

/** Creates the deployment's state machine (orchestrator 3.3). Callers have locked promotion and deployment. */
export const createAdvance = ({ ids, queue, statements }: AdvanceDeps) => {
  const handingOut = createDispatch({ ids, queue });
  const ending = createCompletion({ queue, handingOut, statements });

  /**
   * Judges the landing of the deployment. A digest mismatch was handled before: it fails the target and the deployment.
   */
  const verify = async (tx: Tx, caller: Who, deployment: Deployment): Promise<void> => {
    const verifying = await move(tx, caller, deployment, 'verifying');
    const landed = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const landing = worst(landed.map((target) => target.landing?.verdict ?? 'unverified'));
    await ending.end(tx, caller, verifying, 'completed', { landing });
  };

  /**
   * Holds the deployment at the gate after a phase. The first analysis runs one interval later, under the new traffic.
   */
  const hold = async (tx: Tx, caller: Who, deployment: Deployment, { gate, index }: DeploymentPhase): Promise<void> => {
    const detail = `phase ${index + 1} of ${deployment.plan.phases.length} has ended; ${gate} gate`;
    await deploymentTargets.insertStepForAll(tx, caller.tenant, deployment.id, 'traffic-gate', 'held', detail);
    const environment = await environments.find(tx, caller.tenant, deployment.environmentId);
    const interval = gate === 'analysis' ? environment?.analysis?.intervalSeconds : undefined;
    await pause(tx, caller, deployment, 'traffic_gate', interval);
  };

  /** Starts a phase, or fails the deployment if a target became unhealthy since preflight. */
  const start = async (tx: Tx, caller: Who, deployment: Deployment, phase: DeploymentPhase): Promise<void> => {
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const unwell = phase.index > 0 ? await listUnhealthy(tx, caller, deployment, phase.index, rows) : undefined;
    if (unwell) {
      const detail = unwell.map(({ name, detail: reason }) => `${name}: ${reason}`).join('; ');
      await ending.fail(
        tx,
        caller,
        deployment,
        classify('execution', 'target-unhealthy', detail, failureSubjectOf(deployment)),
      );
      return;
    }
    if (!(await handingOut.isOrdered(tx, caller, deployment))) {
      const subject = failureSubjectOf(deployment);
      const detail = 'no order satisfies dependsOn';
      await ending.fail(
        tx,
        caller,
        deployment,
        classify('strategy-planning', 'dependency-unsatisfied', detail, subject),
      );
      return;
    }
    if (isOverlapping(deployment.plan)) await deploymentTargets.moveOn(tx, caller.tenant, deployment.id, phase.index);
    const started = await movePhase(tx, caller, phase, 'running');
    await handingOut.apply(tx, caller, started, phase);
    await advance(tx, caller, started);
  };

  /** Completes a phase whose targets have all finished it. */
  const close = async (tx: Tx, caller: Who, deployment: Deployment, phase: DeploymentPhase): Promise<void> => {
    const isLast = phase.index === deployment.plan.phases.length - 1;
    const closed = await movePhase(tx, caller, phase, phase.gate === null || isLast ? 'done' : 'held');
    if (isLast) await verify(tx, caller, closed);
    else await advance(tx, caller, closed);
  };

  /** Continues the current phase. In a paused deployment open tasks still finish, but no new phase starts. */
  const advance = async (tx: Tx, caller: Who, deployment: Deployment): Promise<void> => {
    if (deployment.state === 'cancelling') await ending.settleCancel(tx, caller, deployment);
    if (deployment.state !== 'in_progress' && deployment.state !== 'paused') return;
    const phases = await listPhases(tx, caller.tenant, [deployment.id]);
    await failpoint('deploy.advance');
    const running = phases.find(({ status }) => status === 'running');
    if (running) {
      const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
      const inPhase = rows.filter((row) => row.phaseIndex === running.index);
      if (inPhase.some(({ state }) => AT_WORK.has(state))) return;
      const cause = causeOf(inPhase.filter(({ state }) => state === 'failed'));
      await (cause ? ending.fail(tx, caller, deployment, cause) : close(tx, caller, deployment, running));
      return;
    }
    if (deployment.state === 'paused') return;
    const heldPhase = phases.find(({ status }) => status === 'held');
    const next = phases.find(({ status }) => status === 'pending');
    if (heldPhase) await hold(tx, caller, deployment, heldPhase);
    else if (next) await start(tx, caller, deployment, next);
  };

  return {
    advance,
    fail: ending.fail,
    halt: ending.halt,
    cancel: ending.cancel,
    giveUp: ending.giveUp,

    /** Pauses a deployment: no new phase starts, and open tasks get the time limit of the pause. */
    async pause(tx: Tx, caller: Who, deployment: Deployment): Promise<void> {
      const { deadlineAt } = await pause(tx, caller, deployment, 'manual');
      await queue.extend(tx, caller, deployment.id, deadlineAt);
    },

    /** Resumes a paused deployment from its current phase. */
    async resume(tx: Tx, caller: Who, deployment: Deployment): Promise<void> {
      const resumed = await move(tx, caller, deployment, 'in_progress');
      await queue.extend(tx, caller, deployment.id, resumed.deadlineAt);
      await advance(tx, caller, resumed);
    },

    /** Opens the gate that a deployment waits at. */
    async pass(tx: Tx, caller: Who, deployment: Deployment, heldPhase: DeploymentPhase): Promise<void> {
      await deploymentTargets.insertStepForAll(tx, caller.tenant, deployment.id, 'traffic-gate', 'passed', null);
      const passed = await movePhase(tx, caller, heldPhase, 'done');
      await advance(tx, caller, await move(tx, caller, passed, 'in_progress'));
    },

    /** Moves a queued deployment to preflight, which runs outside of this transaction. */
    begin: (tx: Tx, caller: Who, deployment: Deployment): Promise<Deployment> =>
      move(tx, caller, deployment, 'preflight'),

    /** Applies the preflight report: fails the deployment, or starts the first phase. */
    async settlePreflight(tx: Tx, caller: Who, deployment: Deployment, report: PreflightReport): Promise<void> {
      const hardFail = report.checks.find((check) => check.status === 'fail')?.anatomy;
      if (hardFail) {
        await ending.fail(tx, caller, deployment, hardFail);
        return;
      }
      const note = (stage: Anatomy['stage'], step: string, detail: string): Promise<void> =>
        deploymentTargets.insertStepForAll(tx, caller.tenant, deployment.id, stage, step, detail);
      const detailOf = (key: string): string => report.checks.find((check) => check.key === key)?.detail ?? '';
      await note('artifact-generation', 'resolved', detailOf('image-resolvable'));
      await note('bundle-assembly', 'assembled', detailOf('secret-resolvable'));
      const planning = await move(tx, caller, deployment, 'planning');
      await note('strategy-planning', 'planned', deployment.plan.effectiveBehaviour);
      await note('preflight', 'passed', detailOf('target-ready'));
      await advance(tx, caller, await move(tx, caller, planning, 'in_progress'));
    },
  };
};
