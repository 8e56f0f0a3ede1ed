import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@landfall/kernel/core/clock';
import { hostPlatform, type Image } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { Agent } from 'undici';
import type { Driver } from '../driver/driver.ts';
import { createProcessDriver, runVariable } from '../driver/process-driver.ts';
import { findMarked } from '../driver/process-reference.ts';
import { type PullLimits, pullLimits } from '../oci/distribution.ts';
import { createReleases, type Releases } from '../oci/releases.ts';
import { unpackLimits } from '../oci/unpack.ts';
import { type Component, messages, type StepReport, type Task } from '../protocol/messages.ts';
import { createMetrics } from '../router/metrics.ts';
import { createHostSecrets, defaultEnvPrefix } from '../secrets/host-secrets.ts';
import { secretsOpener } from '../secrets/secrets-opener.ts';
import { createRouters } from '../targets/routers.ts';
import { createTargets } from '../targets/targets.ts';
import { freePort } from '../testing/free-port.ts';
import { createApply, environmentOf } from './apply.ts';

export const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

type Host = Readonly<{
  /** Drivers; the process driver by default. */
  drivers?: (releases: Releases, directory: string) => readonly Driver[] | Promise<readonly Driver[]>;
  limits?: Partial<PullLimits>;
}>;

const processesOnly = (releases: Releases): readonly Driver[] => [createProcessDriver(releases)];

const openHost = async (directory: string, { drivers = processesOnly, limits = {} }: Host) => {
  const releases = createReleases(directory, hostPlatform, unpackLimits);
  await releases.open();
  const made = await drivers(releases, directory);
  const metrics = createMetrics();
  const secretsOf = secretsOpener(
    privateKey,
    createHostSecrets({
      directory: join(directory, 'secrets'),
      prefix: defaultEnvPrefix,
      env: { RELEASE_SECRET_GREETING: 'from the host' },
    }),
  );
  const targets = createTargets({
    directory: join(directory, 'targets'),
    instance: directory,
    drivers: new Map(made.map((driver) => [driver.name, driver])),
    routers: createRouters(metrics),
    environment: async (task) => environmentOf(task, await secretsOf(task)),
    log: () => undefined,
    clock: systemClock,
  });
  const dispatcher = new Agent();
  const apply = createApply({
    targets,
    dispatcher,
    limits: { ...pullLimits, backoffMs: 1, ...limits },
    secretsOf,
    settingsKey: privateKey,
  });
  await targets.open();
  return { releases, targets, apply, metrics, close: () => Promise.all([targets.close(), dispatcher.destroy()]) };
};

/**
 * Creates a host with releases, drivers and records, a registry, and tasks for one target; the test acts as the server.
 */
export const setUp = async (options: Host = {}) => {
  const registry = await startRegistry();
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-apply-')));
  const port = await freePort();
  const targetId = randomUUID();
  let host = await openHost(directory, options);
  const get = async (path = '/') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    assert.ok(answer.ok, `${path} answered ${answer.status}`);
    return answer.text();
  };
  return {
    registry,
    directory,
    port,
    targetId,
    get,
    get targets() {
      return host.targets;
    },
    get metrics() {
      return host.metrics;
    },
    get releases() {
      return host.releases;
    },
    task(image: Image, changes: Partial<Task> = {}, component: Partial<Component> = {}): Task {
      const digest = registry.push('team/web', image, 'stable');
      const web = {
        name: 'web',
        repository: registry.repository('team/web'),
        digest,
        platforms: {},
        port,
        ...component,
      };
      const task: Task = {
        taskId: randomUUID(),
        fence: 1,
        targetId,
        action: 'apply',
        driver: 'process',
        components: [web],
        traffic: { weight: 100, retire: true },
        place: null,
        spec: { env: {}, agentSecrets: {}, stopTimeoutMs: 2_000 },
        probe: { path: '/healthz', timeoutMs: 20_000, intervalMs: 10 },
        secrets: null,
        deadline: new Date(Date.now() + 60_000).toISOString(),
        ...changes,
      };
      assert.ok(messages.task.Check(task));
      return task;
    },
    async apply(task: Task, signal = new AbortController().signal) {
      const told: StepReport[] = [];
      const end = await host.apply(task, {
        before: async () => undefined,
        report: (report) => void told.push(report),
        settled: async () => undefined,
        follow: () => undefined,
        signal,
      });
      return { end, told, steps: told.map(({ step }) => step) };
    },
    /** Lists the live processes that this host started. */
    async processes(): Promise<readonly number[]> {
      return (await findMarked(runVariable))
        .filter(({ value }) => value.startsWith(`${directory}/`))
        .map(({ pid }) => pid);
    },
    /** Restarts the agent; its processes keep running. */
    async restart() {
      await host.close();
      host = await openHost(directory, options);
    },
    async [Symbol.asyncDispose]() {
      await host.targets.stopAll();
      await host.close();
      await registry[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

export const landed = (report: StepReport) => (report.step === 'done' ? report : assert.fail(JSON.stringify(report)));
export const failed = (report: StepReport) => (report.step === 'failed' ? report : assert.fail(JSON.stringify(report)));
