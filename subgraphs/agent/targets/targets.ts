import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Driver, Placement } from '../driver/driver.ts';
import { bound, newLog } from '../driver/log-file.ts';
import { createPortChooser } from '../driver/ports.ts';
import { runVariable } from '../driver/process-driver.ts';
import { findMarked, signal } from '../driver/process-reference.ts';
import { failure } from '../protocol/failure.ts';
import type { Log } from '../protocol/log.ts';
import type { Component, Observation, Task } from '../protocol/messages.ts';
import { readIfThere, writeAtomic } from '../state/atomic-file.ts';
import {
  type ActiveRelease,
  type Candidate,
  digestsOf,
  digestsToRetain,
  emptyRecord,
  isSameLocation,
  isSameStart,
  type RunningComponent,
  readRecord,
  servingRelease,
  type TargetRecord,
} from '../state/target-record.ts';
import { createKeyedLock } from './keyed-lock.ts';
import type { Routers } from './routers.ts';

const firstRestartMs = 1_000;
const lastRestartMs = 30_000;
/** Deadline of one observation in milliseconds, well below the heartbeat interval. */
const observeMs = 3_000;

type Deps = Readonly<{
  directory: string;
  /** Distinguishes this agent's processes from those of another agent on the same host. */
  instance: string;
  drivers: ReadonlyMap<string, Driver>;
  routers: Routers;
  environment(task: Task): Promise<Readonly<Record<string, string>>>;
  log: Log;
  clock: { now(): Date };
}>;

/** Creates the targets of this host; a process that no target's record names is a leftover and is killed. */
export const createTargets = ({ directory, instance, drivers, routers, environment, log, clock }: Deps) => {
  const records = new Map<string, TargetRecord>();
  const starting = new Set<string>();
  const restarts = new Map<string, Readonly<{ count: number; notBefore: number }>>();
  const observing = new Map<string, Promise<Observation[]>>();
  const { exclusive, isBusy } = createKeyedLock();
  const choosePort = createPortChooser();

  const directoryOf = (targetId: string): string => join(directory, targetId);
  const fileOf = (targetId: string): string => join(directoryOf(targetId), 'current.json');
  const logOf = (targetId: string, { name, log = `${name}.log` }: Pick<RunningComponent, 'name' | 'log'>): string =>
    join(directoryOf(targetId), log);
  const restartKey = (targetId: string, { name, platformDigest }: RunningComponent): string =>
    `${targetId}/${name}@${platformDigest}`;
  const get = (targetId: string): TargetRecord => records.get(targetId) ?? emptyRecord;
  const activeReleasesOf = ({ current, candidate }: TargetRecord): ActiveRelease[] =>
    [current, candidate].filter((active) => active !== null);

  const driverOf = ({ driver }: Pick<Task, 'driver'>): Driver => {
    const found = drivers.get(driver);
    if (found) return found;
    throw failure('AGT_CAPABILITY_MISSING', 'driver-unsupported', `this agent has no driver ${driver}`);
  };

  const placementOf = (
    { task }: Pick<ActiveRelease, 'task'>,
    running: RunningComponent,
    serves: boolean,
  ): Placement => ({
    task,
    running,
    directory: directoryOf(task.targetId),
    isServing: serves,
  });

  const isServing = (active: ActiveRelease): boolean => isSameStart(servingRelease(get(active.task.targetId)), active);

  const isAlive = (active: ActiveRelease, running: RunningComponent): Promise<boolean | null> =>
    driverOf(active.task).isAlive(placementOf(active, running, isServing(active)));

  const observe = (active: ActiveRelease, running: RunningComponent) =>
    driverOf(active.task).observe(placementOf(active, running, isServing(active)));

  /** Replaces a target's record, and routes requests according to it. */
  const save = async (targetId: string, next: TargetRecord): Promise<void> => {
    await mkdir(directoryOf(targetId), { recursive: true, mode: 0o700 });
    await writeAtomic(fileOf(targetId), JSON.stringify(next));
    records.set(targetId, next);
    for (const { components } of activeReleasesOf(next)) for (const { run } of components) starting.delete(run);
    routers.point(targetId, next);
  };

  /** Serves the recorded release, if its driver has a location. */
  const serveRecorded = async (task: Task): Promise<void> => {
    const serving = servingRelease(get(task.targetId));
    const served = serving?.task ?? task;
    const placements = serving?.components.map((running) => placementOf(serving, running, true)) ?? [];
    const directory = directoryOf(task.targetId);
    await driverOf(served).serve?.({ task: served, placements, directory, environment: () => environment(served) });
  };

  /** Serves the recorded release if it changed: a location that was changed by hand is not repaired by the way. */
  const serveIfChanged = async (before: TargetRecord, task: Task): Promise<void> => {
    if (!isSameStart(servingRelease(before), servingRelease(get(task.targetId)))) await serveRecorded(task);
  };

  const start = async (task: Task, component: Component, digest: Digest) => {
    const run = `${instance}/${task.targetId}/${component.name}/${randomUUID()}`;
    const env = await environment(task);
    const driver = driverOf(task);
    const port = driver.isRouted ? await choosePort() : (component.port ?? 0);
    const targetDirectory = directoryOf(task.targetId);
    await mkdir(targetDirectory, { recursive: true, mode: 0o700 });
    const inUse = activeReleasesOf(get(task.targetId)).flatMap(({ components }) =>
      components.flatMap((each) => each.log ?? []),
    );
    const log = await newLog(targetDirectory, component.name, inUse);
    starting.add(run);
    const logFile = logOf(task.targetId, { name: component.name, log });
    const process = await driver.start({
      task,
      component,
      digest,
      env,
      port,
      run,
      directory: targetDirectory,
      logFile,
    });
    return { process, port, run, log };
  };

  const killOrphans = async (): Promise<void> => {
    const known = new Set(
      [...records.values()].flatMap(activeReleasesOf).flatMap(({ components }) => components.map(({ run }) => run)),
    );
    for (const { pid, value } of await findMarked(runVariable)) {
      if (!value.startsWith(`${instance}/`) || known.has(value) || starting.has(value)) continue;
      log('stray.killed', { pid, run: value });
      signal(pid, 'SIGKILL', 'process');
    }
  };

  const restart = async (active: ActiveRelease, dead: RunningComponent): Promise<void> => {
    const { task } = active;
    const key = restartKey(task.targetId, dead);
    const { count, notBefore } = restarts.get(key) ?? { count: 0, notBefore: 0 };
    if (performance.now() < notBefore) return;
    const component = task.components.find(({ name }) => name === dead.name);
    if (!component) return;
    const delayMs = Math.min(firstRestartMs * 2 ** count, lastRestartMs);
    restarts.set(key, { count: count + 1, notBefore: performance.now() + delayMs });
    // An agent restarts the same digest or nothing: it never starts another release by itself.
    const started = { ...dead, ...(await start(task, component, dead.platformDigest)) };
    const restarted = <T extends ActiveRelease>(each: T | null): T | null =>
      each && { ...each, components: each.components.map((running) => (running === dead ? started : running)) };
    const { current, candidate } = get(task.targetId);
    await save(task.targetId, { current: restarted(current), candidate: restarted(candidate) });
    log('process.restarted', { targetId: task.targetId, component: dead.name, pid: started.process?.pid });
  };

  const superviseTarget = async (targetId: string): Promise<void> => {
    for (const active of activeReleasesOf(get(targetId)))
      for (const running of active.components) {
        await bound(logOf(targetId, running));
        // Only a routed driver has processes that the agent restarts. The engine restarts its own containers, and a
        // manual change of any other target must show as drift.
        if (driverOf(active.task).isRouted && (await isAlive(active, running)) === false)
          await restart(active, running);
      }
    // A port that was taken when the agent came back may be free by now.
    for (const { task } of activeReleasesOf(get(targetId))) if (driverOf(task).isRouted) await routers.open(task);
    routers.point(targetId, get(targetId));
  };

  const supervise = async (): Promise<void> => {
    for (const targetId of records.keys())
      if (!isBusy(targetId))
        await exclusive(targetId, () => superviseTarget(targetId)).catch((error: unknown) =>
          log('supervise.failed', { targetId, error: String(error) }),
        );
  };

  const empty = async (task: Task): Promise<void> => {
    const directory = directoryOf(task.targetId);
    await driverOf(task).serve?.({ task, placements: [], directory, environment: async () => ({}) });
  };

  /** Stops a release that the record no longer names, once its requests have ended. */
  const end = async ({ task, components }: ActiveRelease, timeoutMs = task.spec.stopTimeoutMs): Promise<void> => {
    const driver = driverOf(task);
    const stop = async (running: RunningComponent): Promise<void> => {
      await routers.drained(task.targetId, running, timeoutMs);
      await driver.stop(placementOf({ task }, running, false), timeoutMs);
    };
    await Promise.all(components.map(stop));
    // A target that has moved to another location, or to another driver, leaves nothing at the old one.
    const serving = servingRelease(get(task.targetId));
    if (!serving || !isSameLocation(serving.task, task)) await empty(task);
  };

  const observeTarget = async (targetId: string): Promise<Observation[]> => {
    const record = get(targetId);
    const serving = servingRelease(record);
    if (!serving || !drivers.has(serving.task.driver)) return [];
    const observation: Observation[] = [];
    for (const running of serving.components) {
      const identity = await observe(serving, running);
      const isRunning = await isAlive(serving, running);
      if (isRunning === null) continue;
      const observedAt = clock.now().toISOString();
      observation.push({ targetId, component: running.name, running: isRunning, ...identity, observedAt });
    }
    // An observation of a record that was replaced meanwhile is outdated.
    return get(targetId) === record ? observation : [];
  };

  /** Observes a target, one observation at a time, so that an engine that hangs does not collect requests. */
  const observeShared = (targetId: string): Promise<Observation[]> => {
    const known = observing.get(targetId);
    if (known) return known;
    const started = observeTarget(targetId).finally(() => observing.delete(targetId));
    observing.set(targetId, started);
    return started;
  };

  return {
    exclusive,
    supervise,
    start,
    end,
    get,
    driverOf,
    logOf,
    isAlive,
    identify: observe,

    /** Reads the records, kills processes that none names, and serves what runs. */
    async open(): Promise<void> {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const targetId of await readdir(directory)) {
        const text = await readIfThere(fileOf(targetId));
        const known = text === undefined ? undefined : readRecord(text);
        if (known) records.set(targetId, known);
      }
      await killOrphans();
      await supervise();
    },

    /** Opens the ports of a task, so that a port in use fails before anything is started. */
    async reserve(task: Task): Promise<void> {
      if (driverOf(task).isRouted) await routers.open(task);
    },

    /** Closes the ports that a failed task opened. */
    release: (targetId: string): Promise<void> => routers.trim(targetId, get(targetId)),

    /** Sets the candidate's share of requests. An earlier candidate must have been removed. */
    async shift(active: ActiveRelease, weight: number): Promise<void> {
      const { task, settings, components } = active;
      const candidate: Candidate = { task, settings, components: [...components], weight };
      const before = get(task.targetId);
      await save(task.targetId, { current: before.current, candidate });
      await serveIfChanged(before, task);
    },

    /** Makes a release the current one by one rename; returns the releases that it replaces. */
    async promote(active: ActiveRelease): Promise<ActiveRelease[]> {
      const { task, settings, components } = active;
      const before = get(task.targetId);
      const current = {
        task,
        settings,
        components: [...components],
        previous: digestsToRetain(before.current, active),
      };
      await save(task.targetId, { current, candidate: null });
      for (const running of components) restarts.delete(restartKey(task.targetId, running));
      await serveIfChanged(before, task);
      await routers.trim(task.targetId, get(task.targetId));
      const runs = new Set(components.map(({ run }) => run));
      return activeReleasesOf(before).filter((each) => each.components.every(({ run }) => !runs.has(run)));
    },

    /** Directs all requests to the current release; returns the removed candidate, or null. */
    async withdraw(targetId: string): Promise<Candidate | null> {
      const { current, candidate } = get(targetId);
      // Before a restart the agent may have written the record and not yet switched the location.
      if (!candidate && current) await serveRecorded(current.task);
      if (!candidate) return null;
      await save(targetId, { current, candidate: null });
      await serveRecorded(candidate.task);
      await routers.trim(targetId, get(targetId));
      return candidate;
    },

    async discard(task: Task, running: RunningComponent): Promise<void> {
      await driverOf(task).stop(placementOf({ task }, running, false), 0);
      starting.delete(running.run);
    },

    /** Observes every serving component. Targets that do not answer in time are left out. */
    async observe(withinMs = observeMs): Promise<Observation[]> {
      const ended = new AbortController();
      const delayed = sleep(withinMs, [], { signal: ended.signal }).catch(() => []);
      const observation = await Promise.all(
        [...records.keys()].map((targetId) => Promise.race([observeShared(targetId), delayed])),
      );
      ended.abort();
      return observation.flat();
    },

    /** Lists every digest that the targets need, to run or to roll back. */
    digests: (): ReadonlySet<Digest> =>
      new Set(
        [...records.values()].flatMap((record) => [
          ...activeReleasesOf(record).flatMap(digestsOf),
          ...(record.current?.previous ?? []),
        ]),
      ),

    /** Stops serving. Processes keep running without this agent. */
    close: routers.close,

    /** Ends every process, when a host is torn down; files in slots stay for the programs that serve them. */
    async stopAll(): Promise<void> {
      for (const record of records.values())
        for (const active of activeReleasesOf(record)) {
          if (driverOf(active.task).isStill) continue;
          await empty(active.task);
          await end(active);
        }
    },
  };
};

export type Targets = ReturnType<typeof createTargets>;
