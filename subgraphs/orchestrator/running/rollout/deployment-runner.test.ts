import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Database } from '@landfall/kernel/db/database';
import { arm } from '@landfall/kernel/system/failpoint';
import { createModuleParts } from '../../services.ts';
import { completeAllTasks } from '../../testing/complete-tasks.ts';
import { type DeployingApp, deployingApp } from '../../testing/deploying-app.ts';

const COMMIT = 'commit';

/** Wraps the database and notes each commit. */
const noting = (database: Database, notes: string[]): Database => {
  const noted = async <T>(writing: Promise<T>): Promise<T> => {
    const value = await writing;
    notes.push(COMMIT);
    return value;
  };
  return {
    ...database,
    write: (tenant, use) => noted(database.write(tenant, use)),
    system: { ...database.system, write: (use) => noted(database.system.write(use)) },
  };
};

/** Creates a runner over the test's database that notes its commits and failpoints in order. */
const notingRunner = async (app: DeployingApp) => {
  const notes: string[] = [];
  const source = await readFile(new URL('./deployment-runner.ts', import.meta.url), 'utf8');
  const names = [...source.matchAll(/failpoint\('([\w.]+)'\)/g)].map(([, name = '']) => name);
  const deps = { ...app.deps, database: noting(app.deps.database, notes) };
  const { runOnce } = createModuleParts(deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(deps),
  });
  return {
    names,
    async turn(): Promise<string[]> {
      using stack = new DisposableStack();
      for (const name of names) stack.use(arm(name, () => void notes.push(name)));
      assert.equal(await runOnce.runner(), 1);
      return notes.splice(0);
    },
  };
};

/** Creates an approved promotion into an environment with two targets, and a function that deploys it. */
const scenario = async (app: DeployingApp, overrides: object = {}) => {
  const environment = await app.seed.environment({ requiredApprovals: 0, ...overrides });
  const agent = await app.register();
  for (let i = 0; i < 2; i++) await app.seed.target(environment, agent);
  const { id: promotionId } = await app.seed.approved(await app.seed.ready(), environment);
  const launch = (request: object) =>
    app.module.deployments.launch(app.caller('operator'), { promotionId, ...request });
  return { agent, launch };
};

test('between any two of its commits, and after the last, the runner passes a place where it can be killed', async () => {
  await using app = await deployingApp();
  const operator = app.caller('operator');
  const { id: integrationId } = await app.module.integrations.create(operator, {
    kind: 'metrics',
    name: 'nobody',
    baseUrl: 'http://127.0.0.1:9',
  });
  const runner = await notingRunner(app);
  const passed = new Set<string>();
  const turn = async (commits: number): Promise<void> => {
    const notes = await runner.turn();
    assert.equal(notes.filter((note) => note === COMMIT).length, commits, notes.join(', '));
    for (const [i, note] of notes.entries())
      assert(note !== COMMIT || (notes[i + 1] ?? COMMIT) !== COMMIT, `nothing to be killed at: ${notes.join(', ')}`);
    for (const note of notes) passed.add(note);
  };

  const { agent, launch } = await scenario(app, { analysis: { integrationId, query: 'up', min: 1 } });
  await launch({ strategy: 'canary', params: { gate: 'analysis' } });
  // Leased, started, preflight recorded.
  await turn(3);
  await completeAllTasks(app, agent);
  await app.clock.advance(11_000);
  // Leased, judged.
  await turn(2);
  await app.clock.advance(25 * 3_600_000);
  // Leased, failed.
  await turn(2);
  passed.delete(COMMIT);
  assert.deepEqual([...passed].toSorted(), runner.names.toSorted(), 'every place of the runner was passed');
});
