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
import { type DueJob, isLate, leaseDue } from './deployment-runner.store.ts';
import type { Analyst, Measured } from './ports.ts';

const BATCH = 10;
const LEASE_SECONDS = 30;
/** Interval at which the runner polls; a hint wakes it sooner. */
const POLL_MS = 1_000;

/** The stage a job is at, by its state. */
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
  /** Until it is asked again. */
  readonly seconds: number;
}

interface RunnerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly advance: Advance;
  readonly preflight: Preflight;
  readonly analyst: Analyst;
}

/**
 * Moves jobs on where time or the network is needed: preflight, the analysis of a gate, and the deadline. All else happens
 * in the transaction of whoever reports. A runner that dies leaves a lease that runs out; whatever it did is done again or was never written.
 */
export const createDeploymentRunner = ({ database, ids, hints, log, advance, preflight, analyst }: RunnerDeps) => {
  const underLock = (who: Who, jobId: Id<'Deployment'>, act: (tx: Tx, job: deployments.Deployment) => Promise<void>) =>
    database.write(who.tenant, async (tx) => {
      const job = await deployments.lockJob(tx, who, jobId);
      if (job && !isEnded(job)) await act(tx, job);
    });

  const expire = async (who: Who, jobId: Id<'Deployment'>): Promise<void> => {
    await underLock(who, jobId, async (tx, job) => {
      // Somebody may have had it wait, or go on, since it was found.
      if (!(await isLate(tx, who.tenant, jobId))) return;
      if (job.state === 'cancelling') return advance.giveUp(tx, who, job);
      const detail = `deadline ${job.deadlineAt.toISOString()} passed in state ${job.state}`;
      return advance.fail(tx, who, job, classify(STAGE_IN[job.state], 'job-deadline', detail, failureSubjectOf(job)));
    });
    await failpoint('deploy.runner.expired');
  };

  /** The phase at whose gate a job waits for its analysis. */
  const gateOf = async (query: Query, who: Who, job: deployments.Deployment): Promise<DeploymentPhase | undefined> => {
    if (job.pauseReason !== 'traffic_gate') return undefined;
    const phases = await listPhases(query, who.tenant, [job.id]);
    return phases.find(({ status, gate }) => status === 'held' && gate === 'analysis');
  };

  /** Applies a measurement to the gate of a locked deployment; that of another gate is ignored. */
  const judge = async (tx: Tx, who: Who, job: deployments.Deployment, { index, measured, seconds }: Judged) => {
    const held = await gateOf(tx, who, job);
    if (held?.index !== index) return;
    const verdict = await analyst.record(tx, who, job, held.index, measured);
    if (verdict === 'halt') await advance.halt(tx, who, job, measured.detail);
    else if (verdict === 'open') await advance.pass(tx, who, job, held);
    else await deployments.checkIn(tx, who.tenant, job.id, seconds);
  };

  /** Leaves a gate to a person, for whom it waits: the policy that would have judged it was taken away. */
  const leave = async (tx: Tx, who: Who, job: deployments.Deployment, index: number): Promise<void> => {
    const held = await gateOf(tx, who, job);
    const environment = await environments.find(tx, who.tenant, job.environmentId);
    if (held?.index !== index || environment?.analysis) return;
    await deployments.checkNoMore(tx, who.tenant, job.id);
    const detail = 'the analysis of the environment was taken away; the gate waits for a person';
    await insertStepForAll(tx, who.tenant, job.id, 'traffic-gate', 'left', detail);
    await movePhase(tx, who, held, 'held');
  };

  const analyse = async (who: Who, jobId: Id<'Deployment'>): Promise<void> => {
    const known = await database.read(who.tenant, async (query) => {
      const job = await deployments.find(query, who.tenant, jobId);
      const held = job && (await gateOf(query, who, job));
      return held && { job, held, environment: await environments.find(query, who.tenant, job.environmentId) };
    });
    if (!known) return;
    const { index } = known.held;
    const policy = known.environment?.analysis;
    if (!policy) return underLock(who, jobId, (tx, job) => leave(tx, who, job, index));
    const measured = await analyst.measure(who, known.job, policy);
    await failpoint('deploy.runner.measured');
    await underLock(who, jobId, (tx, job) => judge(tx, who, job, { index, measured, seconds: policy.intervalSeconds }));
    await failpoint('deploy.runner.judged');
  };

  const prepare = async (who: Who, jobId: Id<'Deployment'>): Promise<void> => {
    await underLock(who, jobId, async (tx, job) => {
      if (job.state === 'queued') await advance.begin(tx, who, job);
    });
    await failpoint('deploy.runner.begun');
    const job = await database.read(who.tenant, (query) => deployments.find(query, who.tenant, jobId));
    if (job?.state !== 'preflight') return;
    const report = await preflight.check(who, job.releaseId, job.environmentId, job);
    await failpoint('deploy.runner.checked');
    await underLock(who, jobId, async (tx, locked) => {
      if (locked.state === 'preflight') await advance.settlePreflight(tx, who, locked, report);
      await failpoint('deploy.runner.settling');
    });
    await failpoint('deploy.runner.settled');
  };

  const ACTS = { late: expire, preflight: prepare, analysis: analyse } as const;

  const run = async ({ tenant, id, due }: DueJob): Promise<void> => {
    const who = systemCaller(tenant, 'orchestrator.runner', ids.uuid());
    try {
      await ACTS[due](who, id);
    } catch (error) {
      // The lease runs out and the job is due again; until then nothing of it is half-written.
      log.error({ err: error, tenant, deployment: id }, 'deployment runner');
    }
  };

  /** Does what is due now. @returns how many jobs it took up */
  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => leaseDue(tx, BATCH, LEASE_SECONDS));
    if (due.length > 0) await failpoint('deploy.runner.leased');
    await Promise.all(due.map(run));
    return due.length;
  };

  const worker = pollingWorker({ name: 'orchestrator.runner', pollMs: POLL_MS, hints, log, turn });
  return { turn, worker };
};
