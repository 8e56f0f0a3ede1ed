import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@landfall/kernel/core/clock';
import { hostPlatform, type Image } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { until } from '@landfall/kernel/testing/until';
import Type from 'typebox';
import { Check } from 'typebox/value';
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

const Answered = Type.Object({
  request: Type.Object({ path: Type.Literal('/healthz') }),
  response: Type.Object({ statusCode: Type.Integer() }),
});

/** Channel on which undici publishes the head of each response. */
const RESPONSES = 'undici:request:headers';
const HOUR_MS = 3_600_000;

/** Time of probes. It passes as always, and skips an hour once what a test waits for is answered. */
const openProbeTime = () => {
  const statuses: number[] = [];
  const listen = (message: unknown): void => {
    if (Check(Answered, message)) statuses.push(message.response.statusCode);
  };
  subscribe(RESPONSES, listen);
  let skippedMs = 0;
  return {
    monotonicMs: () => performance.now() + skippedMs,
    /** Ends the timeout of probes that are under way once health checks from now on had each of these answers. */
    async end(...wanted: readonly number[]): Promise<void> {
      statuses.length = 0;
      await until(() => wanted.every((status) => statuses.includes(status)));
      skippedMs += HOUR_MS;
    },
    [Symbol.dispose]: () => void unsubscribe(RESPONSES, listen),
  };
};

type OpenOptions = Host & Pick<ReturnType<typeof openProbeTime>, 'monotonicMs'>;

const openHost = async (directory: string, { drivers = processesOnly, limits = {}, monotonicMs }: OpenOptions) => {
  const releases = createReleases(directory, hostPlatform, unpackLimits);
  await releases.open();
  const created = await drivers(releases, directory);
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
    drivers: new Map(created.map((driver) => [driver.name, driver])),
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
    monotonicMs,
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
  const probeTime = openProbeTime();
  const opened = { ...options, monotonicMs: probeTime.monotonicMs };
  let host = await openHost(directory, opened);
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
    endProbes: probeTime.end,
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
      const agentReports: StepReport[] = [];
      const end = await host.apply(task, {
        before: async () => undefined,
        report: (report) => void agentReports.push(report),
        settled: async () => undefined,
        follow: () => undefined,
        signal,
      });
      return { end, told: agentReports, steps: agentReports.map(({ step }) => step) };
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
      host = await openHost(directory, opened);
    },
    async [Symbol.asyncDispose]() {
      await host.targets.stopAll();
      await host.close();
      probeTime[Symbol.dispose]();
      await registry[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

export const landed = (report: StepReport) => (report.step === 'done' ? report : assert.fail(JSON.stringify(report)));
export const failed = (report: StepReport) => (report.step === 'failed' ? report : assert.fail(JSON.stringify(report)));
