// Time for which an agent that was killed is still shown as online: by the wall clock, from kill -9 to the response of
// the graph that says offline. Real agents, killed at different moments between heartbeats.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { benchDirectory } from './bench-host.ts';
import { startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@landfall/agent/main'));
const AGENTS = 5;
/** Time between two kills in milliseconds: heartbeats come every ten seconds, so the kills fall at different phases. */
const BETWEEN_MS = 2_000;
const POLL_MS = 100;
const TIMEOUT_MS = 120_000;

const Token = Type.Object({ value: Type.String() });
const Agents = Type.Object({ agents: Type.Array(Type.Object({ name: Type.String(), state: Type.String() })) });

await using directory = await benchDirectory();
await using product = await startEmpty();
const { visitor: consoleUser, agentUrl } = product;

const stateOf = async (name: string): Promise<string | undefined> => {
  const { agents } = await consoleUser.ask('{ agents { name state } }', {}, Agents);
  return agents.find((agent) => agent.name === name)?.state;
};

const until = async (name: string, state: string): Promise<void> => {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(POLL_MS))
    if ((await stateOf(name)) === state) return;
  throw new Error(`${name} was not ${state} within ${TIMEOUT_MS / 1_000} s`);
};

const start = async (name: string) => {
  const { value } = await consoleUser.act('createRegistrationToken', { name }, 'value', Token);
  const args = ['--server', agentUrl, '--state', join(directory.path, name), '--name', name];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, LANDFALL_AGENT_TOKEN: value, LANDFALL_AGENT_RUN_AS: 'self' },
  });
  await until(name, 'ACTIVE');
  return child;
};

const names = Array.from({ length: AGENTS }, (_, nth) => `bench-${nth}`);
const agents = await Promise.all(names.map(async (name) => ({ name, child: await start(name) })));
// A server judges no agent as silent before each could have sent a heartbeat.
await pause(40_000);

const visible = await Promise.all(
  agents.map(async ({ name, child }, nth) => {
    await pause(nth * BETWEEN_MS);
    const exited = once(child, 'exit');
    const killedAt = performance.now();
    child.kill('SIGKILL');
    await exited;
    await until(name, 'OFFLINE');
    return (performance.now() - killedAt) / 1_000;
  }),
);

const { tell } = createReport('silence');
tell('kill -9 of an agent to offline in the graph, longest of 5', Math.max(...visible), 's', { atMost: 35 });
tell('kill -9 of an agent to offline in the graph, shortest of 5', Math.min(...visible), 's');
