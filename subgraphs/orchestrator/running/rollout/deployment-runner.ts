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
    who: Who,
    deploymentId: Id<'Deployment'>,
    change: (tx: Tx, deployment: deployments.Deployment) => Promise<void>,
  ) =>
    database.write(who.tenant, async (tx) => {
      const deployment = await deployments.lockDeployment(tx, who, deploymentId);
      if (deployment && !isEnded(deployment)) await change(tx, deployment);
    });

  const expire = async (who: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    await underLock(who, deploymentId, async (tx, deployment) => {
      // An operator may have paused or resumed it since it was selected.
      if (!(await isLate(tx, who.tenant, deploymentId))) return;
      if (deployment.state === 'cancelling') return advance.giveUp(tx, who, deployment);
      const detail = `deadline ${deployment.deadlineAt.toISOString()} passed in state ${deployment.state}`;
      return advance.fail(
        tx,
        who,
        deployment,
        classify(STAGE_IN[deployment.state], 'job-deadline', detail, failureSubjectOf(deployment)),
      );
    });
    await failpoint('deploy.runner.expired');
  };

  /** Finds the phase at whose gate a deployment waits for analysis. */
  const gateOf = async (
    query: Query,
    who: Who,
    deployment: deployments.Deployment,
  ): Promise<DeploymentPhase | undefined> => {
    if (deployment.pauseReason !== 'traffic_gate') return undefined;
    const phases = await listPhases(query, who.tenant, [deployment.id]);
    return phases.find(({ status, gate }) => status === 'held' && gate === 'analysis');
  };

  /** Applies a measurement to the gate of a locked deployment; a measurement of another gate is ignored. */
  const judge = async (tx: Tx, who: Who, deployment: deployments.Deployment, { index, measured, seconds }: Judged) => {
    const held = await gateOf(tx, who, deployment);
    if (held?.index !== index) return;
    const verdict = await analyst.record(tx, who, deployment, held.index, measured);
    if (verdict === 'halt') await advance.halt(tx, who, deployment, measured.detail);
    else if (verdict === 'open') await advance.pass(tx, who, deployment, held);
    else await deployments.scheduleAnalysis(tx, who.tenant, deployment.id, seconds);
  };

  /** Leaves a gate to a person after its analysis policy was removed. */
  const leave = async (tx: Tx, who: Who, deployment: deployments.Deployment, index: number): Promise<void> => {
    const held = await gateOf(tx, who, deployment);
    const environment = await environments.find(tx, who.tenant, deployment.environmentId);
    if (held?.index !== index || environment?.analysis) return;
    await deployments.endAnalysis(tx, who.tenant, deployment.id);
    const detail = 'the analysis of the environment was taken away; the gate waits for a person';
    await insertStepForAll(tx, who.tenant, deployment.id, 'traffic-gate', 'left', detail);
    await movePhase(tx, who, held, 'held');
  };

  const analyse = async (who: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    const known = await database.read(who.tenant, async (query) => {
      const deployment = await deployments.find(query, who.tenant, deploymentId);
      const held = deployment && (await gateOf(query, who, deployment));
      return (
        held && { deployment, held, environment: await environments.find(query, who.tenant, deployment.environmentId) }
      );
    });
    if (!known) return;
    const { index } = known.held;
    const policy = known.environment?.analysis;
    if (!policy) return underLock(who, deploymentId, (tx, deployment) => leave(tx, who, deployment, index));
    const measured = await analyst.measure(who, known.deployment, policy);
    await failpoint('deploy.runner.measured');
    await underLock(who, deploymentId, (tx, deployment) =>
      judge(tx, who, deployment, { index, measured, seconds: policy.intervalSeconds }),
    );
    await failpoint('deploy.runner.judged');
  };

  const prepare = async (who: Who, deploymentId: Id<'Deployment'>): Promise<void> => {
    await underLock(who, deploymentId, async (tx, deployment) => {
      if (deployment.state === 'queued') await advance.begin(tx, who, deployment);
    });
    await failpoint('deploy.runner.begun');
    const deployment = await database.read(who.tenant, (query) => deployments.find(query, who.tenant, deploymentId));
    if (deployment?.state !== 'preflight') return;
    const report = await preflight.check(who, deployment.releaseId, deployment.environmentId, deployment);
    await failpoint('deploy.runner.checked');
    await underLock(who, deploymentId, async (tx, locked) => {
      if (locked.state === 'preflight') await advance.settlePreflight(tx, who, locked, report);
      await failpoint('deploy.runner.settling');
    });
    await failpoint('deploy.runner.settled');
  };

  const ACTS = { late: expire, preflight: prepare, analysis: analyse } as const;

  const run = async ({ tenant, id, due }: DueDeployment): Promise<void> => {
    const who = systemCaller(tenant, 'orchestrator.runner', ids.uuid());
    try {
      await ACTS[due](who, id);
    } catch (error) {
      // The lease runs out and the deployment is due again; until then nothing of it is half-written.
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
