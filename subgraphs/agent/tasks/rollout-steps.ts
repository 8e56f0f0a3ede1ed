import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Agent } from 'undici';
import type { Driver } from '../driver/driver.ts';
import { mayAnswer } from '../driver/listener.ts';
import { probe } from '../driver/probe.ts';
import { runVariable } from '../driver/process.ts';
import { createDistribution, type PullLimits } from '../oci/distribution.ts';
import type { Resolved } from '../oci/releases.ts';
import type { Landing, StepName, StepReport, Task, TaskSecrets } from '../protocol/messages.ts';
import type { ActiveRelease, RunningComponent } from '../state/target-record.ts';
import type { Targets } from '../targets/targets.ts';
import { assertGated, observe } from './landing.ts';
import type { LogSource } from './live-log.ts';

/** Control of one task: its journal, reports, live log and cancellation. */
export type TaskControl = Readonly<{
  /** Notes in the journal what is about to happen. */
  before(step: StepName): Promise<void>;
  /** Queues a report; they are sent in order, behind the work. */
  report(report: StepReport): void;
  /** Resolves when everything that was told has been taken, and throws when the lease is lost. */
  settled(): Promise<void>;
  /** Tells from here on what is written there, while the task is under way. */
  follow(source: LogSource): void;
  signal: AbortSignal;
}>;

export type TaskRun = Readonly<{
  task: Task;
  driver: Driver;
  secrets: TaskSecrets;
  control: TaskControl;
  /** Keeps what was started and is in no record yet, so that a failure can end it. */
  started: RunningComponent[];
  /** Components that ran before and are probed again; their log explains a refusal. */
  suspects: RunningComponent[];
}>;

type Deps = Readonly<{ targets: Targets; dispatcher: Agent; limits: PullLimits }>;

/** The steps that bring a release beside what serves, each told when it is done. */
export const createRolloutSteps = ({ targets, dispatcher, limits }: Deps) => {
  /** Pulls and verifies. What is here already and still what its digest says needs no network. */
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

  /** Asks each that serves somebody until it is green. Raises DEPLOY_HEALTH_CHECK_FAILED. */
  const probeAll = async ({ task, control: { report, signal } }: TaskRun, active: ActiveRelease): Promise<void> => {
    const asked = active.components.filter(({ port }) => port > 0);
    const ask = async (running: RunningComponent) => ({
      name: running.name,
      ...(await probe(dispatcher, {
        port: running.port,
        probe: task.probe,
        isAlive: () => targets.isAlive(active, running),
        mayAnswer: async () =>
          running.process === null ||
          mayAnswer(running.process, running.port, { variable: runVariable, value: running.run }),
        signal,
      })),
    });
    const results = await Promise.all(asked.map(ask));
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
