import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Agent } from 'undici';
import type { Driver } from '../driver/driver.ts';
import { mayOwnPort } from '../driver/port-owner.ts';
import { probe } from '../driver/probe.ts';
import { runVariable } from '../driver/process-driver.ts';
import { createDistribution, type PullLimits } from '../oci/distribution.ts';
import type { Resolved } from '../oci/releases.ts';
import type { Landing, StepName, StepReport, Task, TaskSecrets } from '../protocol/messages.ts';
import type { ActiveRelease, RunningComponent } from '../state/target-record.ts';
import type { Targets } from '../targets/targets.ts';
import { assertGated, observe } from './landing.ts';
import type { LogSource } from './live-log.ts';

/** Control of one task: its journal, reports, live log and cancellation. */
export type TaskControl = Readonly<{
  /** Writes the next step to the journal before its side effect. */
  before(step: StepName): Promise<void>;
  /** Queues a report; reports are sent in order in the background. */
  report(report: StepReport): void;
  /** Resolves when every queued report was accepted; throws when the lease is lost. */
  settled(): Promise<void>;
  /** Sends the lines of a log from here on, while the task is running. */
  follow(source: LogSource): void;
  signal: AbortSignal;
}>;

export type TaskRun = Readonly<{
  task: Task;
  driver: Driver;
  secrets: TaskSecrets;
  control: TaskControl;
  /** Components started but not yet in a record, so that a failure can stop them. */
  started: RunningComponent[];
  /** Components that ran before and are probed again; their log explains a refusal. */
  suspects: RunningComponent[];
}>;

type Deps = Readonly<{ targets: Targets; dispatcher: Agent; limits: PullLimits; monotonicMs(): number }>;

/** Creates the steps that start a release beside the serving one; each is reported when done. */
export const createRolloutSteps = ({ targets, dispatcher, limits, monotonicMs }: Deps) => {
  /** Pulls and verifies a release. An unchanged one on disk needs no network. */
  const prepare = async ({
    task,
    driver,
    secrets,
    control: { before, report, signal },
  }: TaskRun): Promise<Resolved[]> => {
    const { releases } = driver;
    await using distribution = createDistribution(limits, (host) => secrets.registries[host]);
    const resolved: Resolved[] = [];
    for (const component of task.components) resolved.push(await releases.resolve(distribution, component, signal));
    report({
      step: 'resolved',
      components: resolved.map(({ component: { name }, platformDigest }) => ({ name, platformDigest })),
    });
    await before('pulled');
    await failpoint('agent.pull');
    let bytes = 0;
    for (const each of resolved) bytes += await driver.fetch(distribution, each, signal);
    report({ step: 'pulled', bytes });
    await failpoint('agent.unpack');
    for (const each of resolved) await driver.prepare(each, signal);
    report({
      step: 'verified',
      components: resolved.map(({ component: { name }, manifestDigest }) => ({ name, manifestDigest })),
    });
    return resolved;
  };

  const start = async (work: TaskRun, resolved: readonly Resolved[]): Promise<void> => {
    const { task, secrets, control, started } = work;
    await control.before('started');
    await targets.reserve(task);
    for (const { component, manifestDigest, platformDigest } of resolved) {
      control.signal.throwIfAborted();
      await failpoint('agent.start');
      const running: RunningComponent = {
        name: component.name,
        manifestDigest,
        platformDigest,
        ...(await targets.start(task, component, platformDigest)),
      };
      started.push(running);
      if (running.process)
        control.follow({ component: component.name, path: targets.logOf(task.targetId, running), secrets });
      await failpoint('agent.started');
    }
    const processes = started.flatMap(({ name, process, port }) => (process ? [{ name, pid: process.pid, port }] : []));
    if (processes.length > 0) control.report({ step: 'started', components: processes });
  };

  /** Probes each component with a port until it is healthy. Raises DEPLOY_HEALTH_CHECK_FAILED. */
  const probeAll = async ({ task, control: { report, signal } }: TaskRun, active: ActiveRelease): Promise<void> => {
    const withPort = active.components.filter(({ port }) => port > 0);
    const ask = async (running: RunningComponent) => ({
      name: running.name,
      ...(await probe(dispatcher, {
        port: running.port,
        probe: task.probe,
        isAlive: () => targets.isAlive(active, running),
        mayOwnPort: async () =>
          running.process === null ||
          mayOwnPort(running.process, running.port, { variable: runVariable, value: running.run }),
        monotonicMs,
        signal,
      })),
    });
    const results = await Promise.all(withPort.map(ask));
    if (results.length > 0) report({ step: 'probed', components: results });
  };

  const observeAll = async ({ control: { report } }: TaskRun, active: ActiveRelease): Promise<Landing[]> => {
    const landings = await observe(targets, active);
    report({ step: 'observed', components: landings });
    assertGated(landings);
    return landings;
  };

  return { prepare, start, probeAll, observeAll };
};
