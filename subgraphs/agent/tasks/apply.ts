import { createHmac } from 'node:crypto';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Agent } from 'undici';
import { lastLines, tailOf } from '../driver/log-file.ts';
import type { PullLimits } from '../oci/distribution.ts';
import type { Resolved } from '../oci/releases.ts';
import { errorClassOf, failedReport, failure } from '../protocol/failure.ts';
import { MAX_RAW } from '../protocol/limits.ts';
import type { ErrorClass, Landing, StepReport, Task, TaskSecrets } from '../protocol/messages.ts';
import { type Redacted, redact } from '../secrets/redaction.ts';
import type { ActiveRelease, Candidate, RunningComponent } from '../state/target-record.ts';
import type { Targets } from '../targets/targets.ts';
import { matching, observe, stepsOf } from './landing.ts';
import { createRolloutSteps, type TaskControl, type TaskRun } from './rollout-steps.ts';

type Deps = Readonly<{
  targets: Targets;
  dispatcher: Agent;
  limits: PullLimits;
  /** Opens a task's secrets. Raises AGT_TASK_FAILED (`secret-not-found`). */
  secretsOf(task: Task): Promise<TaskSecrets>;
  /** Key of the hash by which settings, which contain secrets, are compared. */
  settingsKey: string;
  /** Monotonic time in milliseconds, by which probes end. */
  monotonicMs(): number;
}>;

const finished = (already: boolean, components: Landing[], { text, redacted }: Redacted): StepReport => ({
  step: 'done',
  already,
  components,
  log: text,
  redacted,
});

/** Environment of a task; a secret overrides a plain value of the same name. */
export const environmentOf = (task: Task, secrets: TaskSecrets): Readonly<Record<string, string>> => ({
  ...task.spec.env,
  ...secrets.env,
});

/** Failures that remove a candidate; others do not concern it. */
const invalidatingErrors: ReadonlySet<ErrorClass> = new Set(['probe-failed', 'digest-mismatch', 'start-failed']);

/**
 * Creates the function that applies a task to a target: pull and verify, start beside the running release, probe,
 * observe, route its share of requests, and replace the current release if the task says so. Until then the current
 * release is untouched, so that every failure leaves the target as it was. What is already done is skipped, so that a
 * task can be repeated.
 */
export const createApply = ({ targets, secretsOf, settingsKey, ...rollout }: Deps) => {
  const { prepare, start, probeAll, observeAll } = createRolloutSteps({ targets, ...rollout });

  const settingsOf = ({ task, secrets }: TaskRun): string =>
    createHmac('sha256', settingsKey)
      .update(
        canonicalJson({
          driver: task.driver,
          place: task.place,
          environment: environmentOf(task, secrets),
          components: task.components.map(({ name, digest, port }) => ({ name, digest, port })),
        }),
      )
      .digest('hex');

  /** Tail of these components' output, each line with its component. Secrets are redacted before lines are cut. */
  const logTail = async (
    { task, secrets }: Pick<TaskRun, 'task' | 'secrets'>,
    starts: readonly RunningComponent[],
  ): Promise<Redacted> => {
    const share = Math.floor(MAX_RAW / Math.max(1, starts.length));
    const tails = await Promise.all(
      starts.map(async (running) => {
        const { text, redacted } = redact(secrets, await tailOf(targets.logOf(task.targetId, running)));
        return { text: lastLines(running.name, text, share), redacted };
      }),
    );
    return {
      text: tails.map(({ text }) => text).join(''),
      redacted: tails.reduce((sum, { redacted }) => sum + redacted, 0),
    };
  };

  const end = async ({ control: { report } }: TaskRun, active: ActiveRelease): Promise<void> => {
    await targets.end(active);
    const stopped = active.components.flatMap(({ name, process }) => (process ? [{ name, pid: process.pid }] : []));
    if (stopped.length > 0) report({ step: 'stopped', components: stopped });
  };

  /** Returns all requests to the current release and stops the candidate. */
  const withdrawCandidate = async (work: TaskRun): Promise<Candidate | null> => {
    const { candidate } = targets.get(work.task.targetId);
    if (!candidate) return null;
    await work.control.before('shifted');
    await targets.withdraw(work.task.targetId);
    await failpoint('agent.withdrawn');
    work.control.report({ step: 'shifted', weight: 0 });
    await end(work, candidate);
    return candidate;
  };

  const withdraw = async (work: TaskRun): Promise<StepReport> => {
    const candidate = (await withdrawCandidate(work)) ?? (await targets.withdraw(work.task.targetId));
    const { current } = targets.get(work.task.targetId);
    // The current release's output may contain secrets of another task, so it is not reported for this one.
    return finished(candidate === null, current ? await observe(targets, current) : [], { text: '', redacted: 0 });
  };

  /** Checks the lease before anything that serves is changed: an agent that lost it stops here. */
  const mayTouch = async ({ control }: TaskRun): Promise<void> => {
    await control.settled();
    control.signal.throwIfAborted();
  };

  /** Removes the recorded candidate at once and returns all requests to the current release. */
  const reject = async (work: TaskRun, error: unknown): Promise<never> => {
    // The first error is reported. A target that cannot be restored shows in its next observation.
    const candidate = await targets.withdraw(work.task.targetId).catch(() => null);
    if (candidate) await targets.end(candidate, 0);
    throw error;
  };

  const invalidateCandidate = (work: TaskRun, error: unknown): Promise<never> =>
    invalidatingErrors.has(errorClassOf(error)) ? reject(work, error) : Promise.reject(error);

  const shift = async (work: TaskRun, active: ActiveRelease): Promise<void> => {
    const { task, driver, control, started } = work;
    await control.before('shifted');
    // A release that could not be switched to is not recorded as current.
    const shifted = targets.shift(active, task.traffic.weight);
    await (driver.isRouted ? shifted : shifted.catch((error) => reject(work, error)));
    started.length = 0;
    await failpoint('agent.shifted');
    control.report({ step: 'shifted', weight: task.traffic.weight });
    // A release that did not run beside the other can be probed only where it serves.
    if (!driver.isRouted && task.traffic.weight > 0)
      await probeAll(work, active).catch((error) => invalidateCandidate(work, error));
  };

  const retire = async (work: TaskRun, active: ActiveRelease): Promise<void> => {
    await work.control.before('stopped');
    const replaced = await targets.promote(active);
    work.started.length = 0;
    await failpoint('agent.switched');
    for (const old of replaced) await end(work, old);
  };

  const startRelease = async (
    work: TaskRun,
    settings: string,
    resolved: readonly Resolved[],
  ): Promise<ActiveRelease> => {
    await start(work, resolved);
    const active = { task: work.task, settings, components: [...work.started] };
    if (work.driver.isRouted) await probeAll(work, active);
    await observeAll(work, active);
    return active;
  };

  /** Probes and observes an existing candidate again before it gets more requests. */
  const confirm = async (work: TaskRun, candidate: Candidate): Promise<ActiveRelease> => {
    const check = async (): Promise<void> => {
      await work.control.before('probed');
      if (work.driver.isRouted) await probeAll(work, candidate);
      await observeAll(work, candidate);
    };
    work.suspects.push(...candidate.components);
    await check().catch((error) => invalidateCandidate(work, error));
    work.suspects.length = 0;
    return candidate;
  };

  /** Reports a task whose release is already the current one; only a candidate beside it is removed. */
  const alreadyCurrent = async (
    work: TaskRun,
    settings: string,
    resolved: readonly Resolved[],
  ): Promise<StepReport | undefined> => {
    const { current } = targets.get(work.task.targetId);
    const landed = current && (await matching(targets, current, settings, resolved));
    if (!landed) return undefined;
    // A candidate beside the landed release belongs to an earlier task.
    await withdrawCandidate(work);
    return finished(true, landed, await logTail(work, current.components));
  };

  /** Returns the candidate that a task requests: the existing one, or a new one that replaces any other. */
  const candidateFor = async (
    work: TaskRun,
    settings: string,
    resolved: readonly Resolved[],
  ): Promise<ActiveRelease> => {
    const { candidate } = targets.get(work.task.targetId);
    if (candidate && (await matching(targets, candidate, settings, resolved))) return confirm(work, candidate);
    if (candidate) {
      await mayTouch(work);
      await withdrawCandidate(work);
    }
    return startRelease(work, settings, resolved);
  };

  const apply = async (work: TaskRun): Promise<StepReport> => {
    const { task, driver } = work;
    const { weight, retire: isLast } = task.traffic;
    if (!driver.isRouted && weight > 0 && weight < 100)
      throw failure('AGT_CAPABILITY_MISSING', 'driver-unsupported', `${driver.name} gives a release all or nothing`);
    const resolved = await prepare(work);
    const settings = settingsOf(work);
    const existing = await alreadyCurrent(work, settings, resolved);
    if (existing) return existing;
    const { candidate } = targets.get(task.targetId);
    const active = await candidateFor(work, settings, resolved);
    const already = active === candidate && !isLast && candidate.weight === weight;
    await mayTouch(work);
    if (!already && (!isLast || !driver.isRouted)) await shift(work, active);
    if (isLast) await retire(work, active);
    return finished(already, await observeNow(task.targetId, active), await logTail(work, active.components));
  };

  /** Observes these components as the record describes them, since it knows whether they serve. */
  const observeNow = (targetId: string, { components: [first], ...rest }: ActiveRelease): Promise<Landing[]> => {
    const { current, candidate } = targets.get(targetId);
    const recorded = [current, candidate].find((each) => each?.components.some(({ run }) => run === first?.run));
    return observe(targets, recorded ?? { ...rest, components: [] });
  };

  /** Runs one task and returns its last report. Never throws for a failure of the release. */
  return async (task: Task, control: TaskControl): Promise<StepReport> => {
    const steps = stepsOf(task);
    let during = steps[0];
    let secrets: TaskSecrets = { env: {}, registries: {} };
    const started: RunningComponent[] = [];
    const suspects: RunningComponent[] = [];
    const own: TaskControl = {
      ...control,
      before(step) {
        during = step;
        return control.before(step);
      },
      report(report) {
        const at = steps.indexOf(report.step);
        // A step that does not belong to this task gives no next step.
        if (at >= 0) during = steps[at + 1] ?? during;
        control.report(report);
      },
    };
    try {
      const driver = targets.driverOf(task);
      if (task.action === 'apply') secrets = await secretsOf(task);
      const work = { task, driver, secrets, control: own, started, suspects };
      return await (task.action === 'apply' ? apply(work) : withdraw(work));
    } catch (error) {
      const log = await logTail({ task, secrets }, [...started, ...suspects]);
      for (const each of started) await targets.discard(task, each);
      await targets.release(task.targetId);
      // The reason of the abort says more than the error of the interrupted step.
      const cause: unknown = control.signal.aborted ? control.signal.reason : error;
      const report = failedReport(cause, during);
      const raw = redact(secrets, report.raw);
      return {
        ...report,
        raw: raw.text.slice(0, MAX_RAW),
        log: log.text,
        redacted: raw.redacted + log.redacted,
      };
    }
  };
};
