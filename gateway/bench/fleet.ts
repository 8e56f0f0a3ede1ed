// Processor time of the server and its database for fifty agents that send a heartbeat every ten seconds and wait for
// work, each with a target whose component runs, beyond that of an idle installation. The agents are one process, the
// bench's own; each speaks the real protocol over a TLS connection of its own that stays open, with the agent program's
// own code for both.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messages, paths, pollMs } from '@landfall/agent/protocol/messages';
import { createConnection } from '@landfall/agent/server/connection';
import { enrol } from '@landfall/agent/server/enrol';
import { openIdentity } from '@landfall/agent/state/identity';
import { systemClock } from '@landfall/kernel/core/clock';
import Type from 'typebox';
import { benchDirectory } from './bench-host.ts';
import { type EmptyProduct, startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';
import { cpuTimeOf } from './processes.ts';

const AGENTS = 50;
const MEASURED_MS = 60_000;
/** Pause after the set-up in milliseconds, until query plans and garbage collection settle. */
const SETTLE_MS = 60_000;
const GOAL_PER_CENT = 2;

const Id = Type.Object({ id: Type.String() });
const Token = Type.Object({ value: Type.String() });

const capabilities = { process: '1' };
const digest = `sha256:${'a'.repeat(64)}` as const;

/** Registers an agent with a target, and runs its heartbeats and polls until the signal aborts. */
const enlist = async (
  { agentUrl, visitor: consoleUser }: EmptyProduct,
  environmentId: string,
  directory: string,
  nth: number,
) => {
  const name = `bench-${nth}`;
  const { value: token } = await consoleUser.act('createRegistrationToken', { name }, 'value', Token);
  const identity = await openIdentity(join(directory, name));
  const server = new URL(agentUrl);
  const enrolment = {
    server,
    token,
    name,
    version: '1.0.0',
    platform: 'linux/amd64',
    capabilities,
    clock: systemClock,
  };
  const known = await enrol(identity, enrolment, new AbortController().signal);
  const target = { environmentId, name, driver: 'PROCESS', agentId: known.agentId, config: { port: 20_000 + nth } };
  const { id: targetId } = await consoleUser.act('createTarget', target, 'id', Id);
  const connection = createConnection(server, { ...known, privateKey: identity.privateKey });

  const sendHeartbeat = async (signal: AbortSignal): Promise<number> => {
    const now = new Date().toISOString();
    const observed = [{ targetId, component: 'web', running: true, digest, reason: null, observedAt: now }];
    const message = { held: [], capabilities, observed, diskFree: 1_000_000_000, clock: now };
    const answer = await connection.post(paths.heartbeat, message, signal);
    if (!messages.beat.Check(answer)) throw new Error('no beat came back');
    return answer.heartbeatMs * (0.9 + Math.random() * 0.2);
  };

  const until = async (signal: AbortSignal, turn: () => Promise<number>): Promise<void> => {
    while (!signal.aborted) {
      const waitMs = await turn().catch((error: unknown) => {
        if (signal.aborted) return 0;
        throw error;
      });
      if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };

  return async (signal: AbortSignal): Promise<void> => {
    // The agents of a fleet do not start at the same moment.
    await pause(Math.random() * 10_000, undefined, { signal }).catch(() => undefined);
    await Promise.all([
      until(signal, () => sendHeartbeat(signal)),
      until(signal, async () => {
        await connection.post(paths.poll, {}, signal, pollMs + 10_000);
        return 0;
      }),
    ]);
    await connection.close();
  };
};

/** Measures the product's processor time in per cent of one core. */
const share = async (product: EmptyProduct): Promise<number> => {
  const before = await cpuTimeOf(await product.processes());
  const startedMs = performance.now();
  await pause(MEASURED_MS);
  const cpuMs = (await cpuTimeOf(await product.processes())) - before;
  return (100 * cpuMs) / (performance.now() - startedMs);
};

await using directory = await benchDirectory();
await using product = await startEmpty();
const environment = { name: 'bench', orderIndex: 5, stageKind: 'DEV', requiredApprovals: 0 };
const { id: environmentId } = await product.visitor.act('createEnvironment', environment, 'id', Id);
const agents = await Promise.all(
  Array.from({ length: AGENTS }, (_, nth) => enlist(product, environmentId, directory.path, nth)),
);
await pause(SETTLE_MS);
const idle = await share(product);
const leaving = new AbortController();
const running = agents.map((run) => run(leaving.signal));
await pause(SETTLE_MS);
const busy = await share(product);
leaving.abort();
await Promise.all(running);

const { tell } = createReport('fleet');
tell('50 agents at 10 s beats, server and PostgreSQL, beyond idle', busy - idle, '% of a core', {
  atMost: GOAL_PER_CENT,
});
tell('the same without agents', idle, '% of a core');
