import { randomUUID } from 'node:crypto';
import { mkdir, realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Account } from '@landfall/kernel/system/account';
import { Agent as HttpAgent } from 'undici';
import { findCompose } from './driver/compose-driver.ts';
import type { Driver } from './driver/driver.ts';
import { createProcessDriver } from './driver/process-driver.ts';
import { findSandbox } from './driver/sandbox-driver.ts';
import { openStaticSlots } from './driver/static-slot.ts';
import { createObservationRotation } from './observation-rotation.ts';
import { type PullLimits, pullLimits } from './oci/distribution.ts';
import { createReleases, type Releases } from './oci/releases.ts';
import { unpackLimits } from './oci/unpack.ts';
import { MAX_OBSERVATIONS } from './protocol/limits.ts';
import type { Log } from './protocol/log.ts';
import { type Heartbeat, messages, paths, pollMs } from './protocol/messages.ts';
import { createMetrics, serveMetrics } from './router/metrics.ts';
import { openReleasesTo } from './run-as.ts';
import { createHostSecrets, defaultEnvPrefix, type HostSecrets } from './secrets/host-secrets.ts';
import { secretsOpener } from './secrets/secrets-opener.ts';
import { createConnection } from './server/connection.ts';
import { enrol } from './server/enrol.ts';
import { readIfThere, writeAtomic } from './state/atomic-file.ts';
import { type IdentityStore, openIdentity } from './state/identity.ts';
import { createJournal } from './state/journal.ts';
import { createRouters } from './targets/routers.ts';
import { createTargets } from './targets/targets.ts';
import { createApply, environmentOf } from './tasks/apply.ts';
import { createTaskRunner } from './tasks/task-runner.ts';

type AgentOptions = Readonly<{
  server: URL;
  token?: string | undefined;
  /** State directory: key, releases, and records of running components. */
  state: string;
  name: string;
  version: string;
  clock: Clock;
  log: Log;
  limits?: PullLimits;
  /** Location of secrets on this host; none by default. */
  ownSecrets?: HostSecrets;
  metricsPort?: number | undefined;
  /** Directory of the static slots; below the state directory by default. */
  slots?: string | undefined;
  /** Account that releases of the process driver run as; the agent's own by default. */
  account?: Account | undefined;
  driver?: (releases: Releases) => Driver;
}>;

const noSecrets: HostSecrets = { directory: undefined, prefix: defaultEnvPrefix, env: {} };

/** Limit of concurrent tasks; other tasks wait in the queue. */
const maxTasks = 4;
const superviseMs = 1_000;
const retryMs = 1_000;
const lastRetryMs = 10_000;

const architectures: Readonly<Record<string, string>> = { x64: 'amd64' };
const platform = `${process.platform}/${architectures[process.arch] ?? process.arch}`;

/** Creates the state directory and returns its real path, since the system reports processes by paths without links. */
const openState = async (directory: string): Promise<string> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return realpath(directory);
};

const openInstance = async (state: string): Promise<string> => {
  const file = join(state, 'instance');
  const known = await readIfThere(file);
  if (known) return known;
  const created = randomUUID();
  await writeAtomic(file, created);
  return created;
};

const openDrivers = async (options: AgentOptions, releases: Releases): Promise<ReadonlyMap<string, Driver>> => {
  const slots = options.slots ?? join(options.state, 'slots');
  const found = await Promise.all([
    options.driver ? options.driver(releases) : createProcessDriver(releases, options.account),
    findSandbox(releases),
    openStaticSlots(slots, platform),
    findCompose(releases),
  ]);
  return new Map(found.flatMap((driver) => (driver ? [[driver.name, driver] as const] : [])));
};

/** Opens the host side from the state directory: releases, processes, and the record of what runs. */
const openHost = async (options: AgentOptions, identity: IdentityStore) => {
  const { state, clock, log } = options;
  const releases = createReleases(state, platform, unpackLimits);
  await releases.open();
  if (options.account) await openReleasesTo(options.account, state);
  const drivers = await openDrivers(options, releases);
  const secretsOf = secretsOpener(identity.privateKey, createHostSecrets(options.ownSecrets ?? noSecrets));
  const metrics = createMetrics();
  const targets = createTargets({
    directory: join(state, 'targets'),
    instance: await openInstance(state),
    drivers,
    routers: createRouters(metrics),
    environment: async (task) => environmentOf(task, await secretsOf(task)),
    log,
    clock,
  });
  const dispatcher = new HttpAgent();
  const apply = createApply({
    targets,
    dispatcher,
    limits: options.limits ?? pullLimits,
    secretsOf,
    settingsKey: identity.privateKey,
    monotonicMs: () => performance.now(),
  });
  return { drivers, targets, apply, dispatcher, metrics };
};

/** Repeats `turn` until the signal aborts; logs a failure and tries again. */
const repeat = async (name: string, log: Log, signal: AbortSignal, turn: () => Promise<number>): Promise<void> => {
  let failures = 0;
  const wait = async (): Promise<number> => {
    try {
      const waitMs = await turn();
      failures = 0;
      return waitMs;
    } catch (error) {
      if (!signal.aborted) log(`${name}.failed`, { error: error instanceof Error ? error.message : String(error) });
      failures += 1;
      return Math.min(retryMs * 2 ** (failures - 1), lastRetryMs);
    }
  };
  while (!signal.aborted) {
    const waitMs = await wait();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Starts an agent, which runs until it is closed; deployed processes keep running. Throws when it cannot register. */
export const startAgent = async (options: AgentOptions) => {
  const { server, name, clock, log } = options;
  const state = await openState(options.state);
  const closing = new AbortController();
  const { signal } = closing;
  const identity = await openIdentity(state);
  const { drivers, targets, apply, dispatcher, metrics } = await openHost({ ...options, state }, identity);
  const capabilities = Object.fromEntries([...drivers.values()].map(({ name: route, version }) => [route, version]));
  const metricsListener =
    options.metricsPort === undefined ? undefined : await serveMetrics(metrics, options.metricsPort);
  await targets.open();

  let known = await enrol(identity, { ...options, token: options.token, platform, capabilities }, signal);
  const connect = () => createConnection(server, { ...known, privateKey: identity.privateKey });
  let connection = connect();

  const journal = createJournal(join(state, 'journal'));
  await journal.open();
  // Pruning sees only what is recorded, so nothing may be fetched meanwhile.
  let pruning: Promise<void> = Promise.resolve();
  const prune = async (): Promise<void> => {
    for (const releases of new Set([...drivers.values()].map((driver) => driver.releases)))
      await releases.prune(targets.digests());
  };
  const work = createTaskRunner({
    apply: async (task, control) => {
      await pruning;
      return apply(task, control);
    },
    journal,
    targets,
    send: async (report, until) => void (await connection.post(paths.report, report, until)),
    sendLog: async (lines, until) => void (await connection.post(paths.log, lines, until)),
    clock,
    onIdle: () => {
      pruning = prune().catch((error: unknown) => log('prune.failed', { error: String(error) }));
      return pruning;
    },
    log,
    closing: signal,
  });
  work.remember(await journal.list());

  const renew = async (): Promise<void> => {
    const answer = await connection.post(paths.renew, { csr: await identity.request(name) }, signal);
    if (!messages.renewed.Check(answer)) throw new Error('the server answered something else than a certificate');
    known = { ...known, ...answer };
    await identity.write(known);
    const old = connection;
    connection = connect();
    // A request in progress on the old connection fails and is repeated on the new one.
    await old.close();
    log('certificate.renewed', { renewAfter: known.renewAfter });
  };

  /** Tries to renew the certificate; again with each heartbeat until the certificate expires. */
  const tryRenewal = (): Promise<void> =>
    renew().catch((error: unknown) => log('certificate.renewal.failed', { error: String(error) }));

  const reportRefusal = (error: unknown): never => {
    if (error instanceof Fault && error.code === 'AUTH_AGENT_CERT_EXPIRED')
      log('certificate.expired', {
        action: `Create a registration token and start the agent ${name} with it once (LANDFALL_AGENT_TOKEN); it is then the agent it was, and what it runs goes on meanwhile.`,
      });
    if (error instanceof Fault && error.code === 'AUTH_AGENT_CERT_INVALID')
      log('agent.refused', {
        action: `The server knows this agent no more: it was revoked, or another took its name over. Start an agent in a new state directory with a registration token (LANDFALL_AGENT_TOKEN); what this one runs goes on meanwhile.`,
      });
    throw error;
  };

  const rotation = createObservationRotation(MAX_OBSERVATIONS);

  const sendHeartbeat = async (): Promise<number> => {
    const leases = work.leases();
    const disk = await statfs(state);
    const message: Heartbeat = {
      held: leases,
      capabilities,
      observed: rotation(await targets.observe()),
      diskFree: disk.bavail * disk.bsize,
      clock: clock.now().toISOString(),
    };
    const sentAt = performance.now();
    const answer = await connection.post(paths.heartbeat, message, signal).catch(reportRefusal);
    if (!messages.beat.Check(answer)) throw new Error('the server answered something else than a beat');
    await work.renew(answer, leases, sentAt);
    if (Date.parse(answer.now) >= Date.parse(known.renewAfter)) await tryRenewal();
    // Jitter keeps agents that started together from sending heartbeats at the same time.
    return answer.heartbeatMs * (0.9 + Math.random() * 0.2);
  };

  const poll = async (): Promise<number> => {
    if (work.count() >= maxTasks) return retryMs;
    const requestedAt = performance.now();
    const answer = await connection.post(paths.poll, {}, signal, pollMs + 10_000);
    if (answer === undefined) return 0;
    if (messages.look.Check(answer)) {
      await sendHeartbeat();
      return 0;
    }
    if (!messages.assignment.Check(answer)) throw new Error('the server answered something else than a task');
    work.accept(answer, requestedAt);
    return 0;
  };

  // Tasks from before a restart are settled by the first heartbeat, before new ones are requested.
  const { promise: heartbeatSent, resolve: resolveFirstHeartbeat } = Promise.withResolvers<void>();
  const loops = [
    repeat('heartbeat', log, signal, async () => {
      const waitMs = await sendHeartbeat();
      resolveFirstHeartbeat();
      return waitMs;
    }),
    heartbeatSent.then(() => repeat('poll', log, signal, poll)),
    repeat('supervise', log, signal, async () => {
      await targets.supervise();
      return superviseMs;
    }),
  ];

  return {
    agentId: known.agentId,
    /** Ends every process of this agent, when a host is torn down. */
    stopAll: targets.stopAll,
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort(new Error('the agent is closing'));
      resolveFirstHeartbeat();
      await Promise.all(loops);
      await work.drained();
      await targets.close();
      await metricsListener?.[Symbol.asyncDispose]();
      await Promise.all([connection.close(), dispatcher.destroy()]);
    },
  };
};
