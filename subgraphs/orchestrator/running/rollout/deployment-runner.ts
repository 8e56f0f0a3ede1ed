import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as environments from '../../catalogue/environments/environment.ts';
import { classify, failureSubjectOf, type Stage } from '../deployments/anatomy.ts';
import * as deployments from '../deployments/deployment.ts';
import { type DeploymentPhase, listByDeployments as listPhases } from '../deployments/deployment-phase.ts';
import { isEnded } from '../deployments/deployment-state.ts';
import { insertStepForAll } from '../deployments/deployment-target.ts';
import { movePhase } from '../deployments/phase-transitions.ts';
import type { Preflight } from '../preflight/preflight.ts';
import type { Advance } from './advance.ts';
import { type DueDeployment, isLate, leaseDue } from './deployment-runner.store.ts';
import type { Analyst, Measured } from './ports.ts';

const BATCH = 10;
const LEASE_SECONDS = 30;
/** Poll interval of the runner in milliseconds; a hint wakes it sooner. */
const POLL_MS = 1_000;

/** Stage of a deployment in each state, for the anatomy of a failure. */
const STAGE_IN: Readonly<Record<deployments.State, Stage>> = {
  queued: 'preflight',
  preflight: 'preflight',
  planning: 'strategy-planning',
  in_progress: 'execution',
  paused: 'traffic-gate',
  verifying: 'health-probe',
  completed: 'health-probe',
  failed: 'execution',
  cancelling: 'execution',
  cancelled: 'execution',
  rollback_in_progress: 'rollback',
  rolled_back: 'rollback',
  rollback_failed: 'rollback',
};

interface Judged {
  readonly index: number;
  readonly measured: Measured;
  /** Seconds until the next analysis. */
  readonly seconds: number;
}

interface RunnerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly advance: Advance;
  readonly preflight: Preflight;
  readonly analyst: Analyst;
}

/**
 * Creates the runner: it advances deployments where time or the network is needed, which are preflight, analysis of a
 * gate, and deadlines. Everything else happens in the transaction of an agent's report. If a runner dies, its lease
 * expires and the step is repeated; no step is half written.
 */
export const createDeploymentRunner = ({ database, ids, hints, log, advance, preflight, analyst }: RunnerDeps) => {
  const underLock = (
    caller: Who,
    deploymentId: Id<'Deployment'>,
    change: (tx: Tx, deployment: deployments.Deployment) => Promise<void>,
  ) =>
    database.write(caller.tenant, async (tx) => {
      const deployment = await deployments.lockDeployment(tx, caller, deploymentId);
      if (deployment && !isEnded(deployment)) await change(tx, deployment);
    });

  const expire = async (caller: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    await underLock(caller, deploymentId, async (tx, deployment) => {
      // An operator may have paused or resumed it since it was selected.
      if (!(await isLate(tx, caller.tenant, deploymentId))) return;
      if (deployment.state === 'cancelling') return advance.giveUp(tx, caller, deployment);
      const detail = `deadline ${deployment.deadlineAt.toISOString()} passed in state ${deployment.state}`;
      return advance.fail(
        tx,
        caller,
        deployment,
        classify(STAGE_IN[deployment.state], 'job-deadline', detail, failureSubjectOf(deployment)),
      );
    });
    await failpoint('deploy.runner.expired');
  };

  /** Finds the phase at whose gate a deployment waits for analysis. */
  const gateOf = async (
    query: Query,
    caller: Who,
    deployment: deployments.Deployment,
  ): Promise<DeploymentPhase | undefined> => {
    if (deployment.pauseReason !== 'traffic_gate') return undefined;
    const phases = await listPhases(query, caller.tenant, [deployment.id]);
    return phases.find(({ status, gate }) => status === 'held' && gate === 'analysis');
  };

  /** Applies a measurement to the gate of a locked deployment; a measurement of another gate is ignored. */
  const judge = async (
    tx: Tx,
    caller: Who,
    deployment: deployments.Deployment,
    { index, measured, seconds }: Judged,
  ) => {
    const heldPhase = await gateOf(tx, caller, deployment);
    if (heldPhase?.index !== index) return;
    const verdict = await analyst.record(tx, caller, deployment, heldPhase.index, measured);
    if (verdict === 'halt') await advance.halt(tx, caller, deployment, measured.detail);
    else if (verdict === 'open') await advance.pass(tx, caller, deployment, heldPhase);
    else await deployments.scheduleAnalysis(tx, caller.tenant, deployment.id, seconds);
  };

  /** Leaves a gate to a person after its analysis policy was removed. */
  const leave = async (tx: Tx, caller: Who, deployment: deployments.Deployment, index: number): Promise<void> => {
    const heldPhase = await gateOf(tx, caller, deployment);
    const environment = await environments.find(tx, caller.tenant, deployment.environmentId);
    if (heldPhase?.index !== index || environment?.analysis) return;
    await deployments.endAnalysis(tx, caller.tenant, deployment.id);
    const detail = 'the analysis of the environment was taken away; the gate waits for a person';
    await insertStepForAll(tx, caller.tenant, deployment.id, 'traffic-gate', 'left', detail);
    await movePhase(tx, caller, heldPhase, 'held');
  };

  const analyse = async (caller: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    const known = await database.read(caller.tenant, async (query) => {
      const deployment = await deployments.find(query, caller.tenant, deploymentId);
      const heldPhase = deployment && (await gateOf(query, caller, deployment));
      return (
        heldPhase && {
          deployment,
          held: heldPhase,
          environment: await environments.find(query, caller.tenant, deployment.environmentId),
        }
      );
    });
    if (!known) return;
    const { index } = known.held;
    const policy = known.environment?.analysis;
    if (!policy) return underLock(caller, deploymentId, (tx, deployment) => leave(tx, caller, deployment, index));
    const measured = await analyst.measure(caller, known.deployment, policy);
    await failpoint('deploy.runner.measured');
    await underLock(caller, deploymentId, (tx, deployment) =>
      judge(tx, caller, deployment, { index, measured, seconds: policy.intervalSeconds }),
    );
    await failpoint('deploy.runner.judged');
  };

  const prepare = async (caller: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    await underLock(caller, deploymentId, async (tx, deployment) => {
      if (deployment.state === 'queued') await advance.begin(tx, caller, deployment);
    });
    await failpoint('deploy.runner.begun');
    const deployment = await database.read(caller.tenant, (query) =>
      deployments.find(query, caller.tenant, deploymentId),
    );
    if (deployment?.state !== 'preflight') return;
    const report = await preflight.check(caller, deployment.releaseId, deployment.environmentId, deployment);
    await failpoint('deploy.runner.checked');
    await underLock(caller, deploymentId, async (tx, locked) => {
      if (locked.state === 'preflight') await advance.settlePreflight(tx, caller, locked, report);
      await failpoint('deploy.runner.settling');
    });
    await failpoint('deploy.runner.settled');
  };

  const ACTS = { late: expire, preflight: prepare, analysis: analyse } as const;

  const run = async ({ tenant, id, due }: DueDeployment): Promise<void> => {
    const caller = systemCaller(tenant, 'orchestrator.runner', ids.uuid());
    try {
      await ACTS[due](caller, id);
    } catch (error) {
      // The lease expires and the deployment is due again; until then none of its rows is half-written.
      log.error({ err: error, tenant, deployment: id }, 'deployment runner');
    }
  };

  /** Processes the deployments that are due and returns their number. */
  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => leaseDue(tx, BATCH, LEASE_SECONDS));
    if (due.length > 0) await failpoint('deploy.runner.leased');
    await Promise.all(due.map(run));
    return due.length;
  };

  const worker = pollingWorker({ name: 'orchestrator.runner', pollMs: POLL_MS, hints, log, turn });
  return { turn, worker };
};
