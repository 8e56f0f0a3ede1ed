import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '@landfall/kernel/system/log';
import { caller } from '@landfall/kernel/testing/callers';
import { selfSigned } from '@landfall/kernel/testing/certificates';
import { orchestratorModule } from '@landfall/orchestrator';
import { createAgents } from '@landfall/orchestrator/demo/agents';
import { AGENTS, startAgents } from '@landfall/orchestrator/demo/chapter';
import { sharedProduct } from '../testing/start.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };
const WAIT_OPTIONS = { timeout: 20_000, interval: 50 };

/** Process ids of the agent with this state directory. */
const agentPids = async (state: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => ({ pid, line: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
  );
  return lines.filter(({ line }) => line.split('\0').includes(state)).map(({ pid }) => Number(pid));
};

test('a killed agent is started again, and what it left running ends with us', onlyLinux, async (t: TestContext) => {
  await using product = await sharedProduct('all-in-one');
  const directory = await mkdtemp(join(tmpdir(), 'landfall-demo-agents-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const state = join(directory, 'one');
  const orchestrator = orchestratorModule.get(product.modules);
  const operator = caller({ tenant: 'demo-agents', subject: 'operator', scopes: ['orch:admin'] });
  const token = async () => (await orchestrator.agents.createToken(operator, { name: 'one' })).value;

  const agents = createAgents({ agentUrl: product.agentUrl, directory, log: silentLog });
  const starts = async (): Promise<number> =>
    (await readFile(join(directory, 'one.log'), 'utf8')).split('"agent.started"').length - 1;
  await agents.start('one', token);
  await t.waitFor(async () => assert.equal(await starts(), 1), WAIT_OPTIONS);
  const [first] = await agentPids(state);
  assert.ok(first !== undefined);
  process.kill(first, 'SIGKILL');
  await t.waitFor(async () => assert.equal(await starts(), 2), WAIT_OPTIONS);
  const [second] = await agentPids(state);
  assert.ok(second !== undefined && second !== first);

  // A component, as an agent starts it: in a group of its own, with the agent's mark.
  const instance = await readFile(join(state, 'instance'), 'utf8');
  const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
    env: { LANDFALL_RUN: `${instance}/target/web/run` },
  });
  const orphaned = once(orphan, 'exit');
  process.kill(second, 'SIGKILL');
  await agents[Symbol.asyncDispose]();
  assert.deepEqual(await orphaned, [null, 'SIGKILL']);
  assert.deepEqual(await agentPids(state), []);
});

test('the demo goes on after its administrator chose another password: agents with a certificate need nobody', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-demo-again-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const { cert: certificate } = selfSigned({ subject: '/CN=agent' });
  for (const name of AGENTS) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'identity.json'), JSON.stringify({ certificate }));
  }
  await using agents = createAgents({ agentUrl: 'https://127.0.0.1:1', directory, log: silentLog });
  await startAgents(() => assert.fail('the administrator was asked for'), agents);
});
