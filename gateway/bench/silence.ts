// How long an agent that was killed is still shown as there: by the wall clock, from kill -9 to the answer of the graph that
// says offline. Real agents, killed at different moments of their beats.
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
const LOOK_MS = 100;
const PATIENCE_MS = 120_000;

const Token = Type.Object({ value: Type.String() });
const Agents = Type.Object({ agents: Type.Array(Type.Object({ name: Type.String(), state: Type.String() })) });

await using directory = await benchDirectory();
await using product = await startEmpty();
const { visitor, agentUrl } = product;

const stateOf = async (name: string): Promise<string | undefined> => {
  const { agents } = await visitor.ask('{ agents { name state } }', {}, Agents);
  return agents.find((agent) => agent.name === name)?.state;
};

const until = async (name: string, state: string): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(LOOK_MS))
    if ((await stateOf(name)) === state) return;
  throw new Error(`${name} was not ${state} within ${PATIENCE_MS / 1_000} s`);
};

const start = async (name: string) => {
  const { value } = await visitor.act('createRegistrationToken', { name }, 'value', Token);
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
// A server judges no silence before it could have heard everybody.
await pause(40_000);

const shown = await Promise.all(
  agents.map(async ({ name, child }, nth) => {
    await pause(nth * BETWEEN_MS);
    const ended = once(child, 'exit');
    const killedAt = performance.now();
    child.kill('SIGKILL');
    await ended;
    await until(name, 'OFFLINE');
    return (performance.now() - killedAt) / 1_000;
  }),
);

const { tell } = createReport('silence');
tell('kill -9 of an agent to offline in the graph, longest of 5', Math.max(...shown), 's', { atMost: 35 });
tell('kill -9 of an agent to offline in the graph, shortest of 5', Math.min(...shown), 's');
