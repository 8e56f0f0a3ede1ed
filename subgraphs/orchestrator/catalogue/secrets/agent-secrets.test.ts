import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { served } from '../../testing/agent-processes.ts';
import { findRowsWith } from '../../testing/find-rows.ts';
import { buildFaulty, liveApp } from '../../testing/live-app.ts';
import { startVault } from './vault.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test('a secret reaches the process from wherever it lies, and none of them the database', onlyLinux, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-secrets-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'greeting'), 'value-of-the-file\n');
  const vault = stack.use(await startVault({ token: 'hvs.token' }));
  vault.put('shop/web', { greeting: 'value-of-the-vault' });
  const app = stack.use(await liveApp());
  const operator = app.caller('operator');
  await app.module.secrets.save(operator, { name: 'greeting', value: 'value-of-the-store' });
  const main = { name: 'main', kind: 'vault_kv', address: vault.address, token: 'hvs.token' };
  await app.module.secretProviders.create(operator, main);
  const env = { LANDFALL_AGENT_SECRETS_DIR: directory, RELEASE_SECRET_GREETING: 'value-of-the-variable' };
  const agent = await app.startAgent('one', { env });
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const { port } = await app.target(environment, agent.id);
  const release = await app.release('1.0.0', buildFaulty('one'));

  const deploy = async (expectedVersion: number, secret: string) => {
    const variables = [{ name: 'GREETING', secret }];
    await app.module.variableSets.save(operator, { environmentId: environment.id, expectedVersion, variables });
    const promotion = await app.seed.approved(release, environment);
    const { id } = await app.module.deployments.launch(operator, { promotionId: promotion.id });
    return app.until(id, ({ state }) => state === 'completed' || state === 'failed');
  };
  const references = {
    greeting: 'value-of-the-store',
    'env:RELEASE_SECRET_GREETING': 'value-of-the-variable',
    'file:greeting': 'value-of-the-file',
    'vault:main/shop/web#greeting': 'value-of-the-vault',
  };
  for (const [i, [reference, value]] of Object.entries(references).entries()) {
    assert.equal((await deploy(i, reference)).state, 'completed', reference);
    assert.equal(await served(port, '/env'), value);
  }
  const refused = await deploy(4, 'file:absent');
  const { stage, category, reason } = refused.anatomy ?? {};
  assert.deepEqual([stage, category, reason], ['bundle-assembly', 'SecretResolution', 'secret-not-found']);
  assert.equal(await served(port, '/env'), 'value-of-the-vault', 'what ran before goes on');
  assert.deepEqual(await findRowsWith(app, Object.values(references)), []);
  for (const value of Object.values(references)) assert.ok(!app.agents.log('one').includes(value));
  assert.deepEqual(app.bugs, []);
});
