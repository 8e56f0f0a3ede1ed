import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openSealed } from '@landfall/agent/protocol/sealing';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type DeployingApp, deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';
import { findRowsWith } from '../../testing/find-rows.ts';
import { startVault } from './vault.fixture.ts';

const token = 'hvs.CAESIJ-a-token-nobody-may-read';
const password = 'correct horse battery staple';
const vault = await startVault({ token });
vault.put('shop/db', { password, user: 'shop', port: 5432 });
vault.forbid('shop/root');
after(() => vault[Symbol.asyncDispose]());

let counter = 1_000;

/**
 * Creates an environment before the earlier ones, with one target that uses these secrets, and a release approved for
 * it.
 */
const from = async (app: DeployingApp, refs: Readonly<Record<string, string>>, agent: TestAgent) => {
  const operator = app.caller('operator');
  const known = await app.module.secretProviders.list(operator, {});
  if (known.length === 0)
    await app.module.secretProviders.create(operator, {
      name: 'main',
      kind: 'vault_kv',
      address: vault.address,
      token,
    });
  counter -= 1;
  const environment = await app.seed.environment({ requiredApprovals: 0, orderIndex: counter });
  const secretRefs = Object.entries(refs).map(([variable, secret]) => ({ variable, secret }));
  await app.seed.target(environment, agent, { secretRefs });
  const release = await app.seed.ready();
  return { environment, release, promotion: await app.seed.approved(release, environment) };
};

const check = async (app: DeployingApp, secret: string) => {
  const { environment, release } = await from(app, { KEY: secret }, await app.register());
  const report = await app.module.deployments.preflight(app.caller('viewer'), {
    releaseId: release.id,
    environmentId: environment.id,
  });
  const found = report.checks.find(({ key }) => key === 'secret-resolvable');
  assert.ok(found);
  return found;
};

test('preflight passes a secret that a vault has, and fails one that it has not or keeps from us', async () => {
  await using app = await deployingApp();
  assert.equal((await check(app, 'vault:main/shop/db#password')).status, 'pass');
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['vault:main/shop/db#none', 'secret-not-found', /has no key none/],
    ['vault:main/shop/db#port', 'secret-not-found', /holds no text/],
    ['vault:main/shop/db#__proto__', 'secret-not-found', /has no key __proto__/],
    ['vault:main/shop/none#password', 'secret-not-found', /has no secret\/shop\/none/],
    ['vault:other/shop/db#password', 'secret-not-found', /no secret provider other/],
    ['nowhere', 'secret-not-found', /no such secret/],
    ['vault:main/shop/root#password', 'secret-refused', /permission denied/],
  ];
  for (const [reference, reason, detail] of refused) {
    const found = await check(app, reference);
    assert.deepEqual(
      [found.status, found.anatomy?.category, found.anatomy?.reason],
      ['fail', 'SecretResolution', reason],
    );
    assert.match(found.detail, detail);
  }
});

test('what only the agent can tell, and what a vault that is away could tell, is unknown and never a pass', async () => {
  await using app = await deployingApp();
  for (const reference of ['env:LANDFALL_SECRET_KEY', 'file:shop/key'])
    assert.deepEqual(await check(app, reference).then(({ status, detail }) => [status, detail]), [
      'unknown',
      `${reference}: only the agent can tell`,
    ]);
  vault.seal();
  const sealed = await check(app, 'vault:main/shop/db#password');
  vault.breaks(() => undefined);
  const silent = await check(app, 'vault:main/shop/db#password');
  vault.breaks();
  assert.deepEqual([sealed.status, silent.status], ['unknown', 'unknown']);
  assert.match(silent.detail, /did not answer in time/);
});

test('a secret is read where the agent can, sealed to it where the server can, and each under its variable', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await app.module.secrets.save(app.caller('operator'), { name: 'key', value: 'built in' });
  const refs = {
    PASSWORD: 'vault:main/shop/db#password',
    USER: 'vault:main/shop/db#user',
    KEY: 'key',
    OWN: 'file:own',
  };
  const { promotion } = await from(app, refs, agent);
  await app.launch(promotion.id);
  const before = vault.requests.length;
  const { task } = await leased(app, agent);
  assert.deepEqual(vault.requests.slice(before), ['secret/data/shop/db']);
  assert.deepEqual(task.spec.agentSecrets, { OWN: 'file:own' });
  assert.ok(task.secrets);
  const { env } = JSON.parse(openSealed(agent.privateKey, task.secrets, task.taskId));
  assert.deepEqual(env, { PASSWORD: password, USER: 'shop', KEY: 'built in' });
});

const open = table('pg_stat_activity.open', { count });

test('no transaction is open while a vault is asked', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const { promotion } = await from(app, { PASSWORD: 'vault:main/shop/db#password' }, agent);
  const tags: (number | undefined)[] = [];
  vault.breaks((response) => {
    const transactions = sql`select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        and backend_type = 'client backend'`;
    void app.rows(open, transactions).then((rows) => {
      tags.push(rows[0]?.count);
      response.writeHead(200).end(JSON.stringify({ data: { data: { password }, metadata: {} } }));
    });
  });
  await app.launch(promotion.id);
  const { task } = await leased(app, agent);
  vault.breaks();
  assert.ok(task.secrets);
  // At launch, in the deployment's own preflight, and at the lease.
  assert.deepEqual(tags, [0, 0, 0]);
});

const completed = async (app: DeployingApp, id: string) => {
  const deployment = await app.module.deployments.get(app.caller('viewer'), { id });
  const { stage, category, reason, detail, retryable } = deployment.anatomy ?? {};
  return {
    state: deployment.state,
    stage,
    category,
    reason,
    retryable,
    isVaultError: detail?.startsWith('SYS_VAULT_ERROR: '),
  };
};

test('a secret that is gone, kept or not to be had at the lease ends its target before anything is sent', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const cases: readonly (readonly [() => void, string])[] = [
    [() => vault.delete('shop/late'), 'secret-not-found'],
    [() => vault.forbid('shop/late'), 'secret-refused'],
    [() => vault.seal(), 'secret-unavailable'],
  ];
  for (const [state, reason] of cases) {
    vault.put('shop/late', { key: 'x' });
    const { promotion } = await from(app, { KEY: 'vault:main/shop/late#key' }, agent);
    const { id } = await app.launch(promotion.id);
    state();
    assert.equal(await app.lease(agent), null);
    vault.breaks();
    assert.deepEqual(await completed(app, id), {
      state: 'failed',
      stage: 'bundle-assembly',
      category: 'SecretResolution',
      reason,
      retryable: false,
      isVaultError: reason !== 'secret-not-found',
    });
  }
});

test('a task that came to the front after the vaults were asked waits for the next look', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  vault.put('shop/first', { key: 'one' });
  const first = await from(app, { KEY: 'vault:main/shop/first#key' }, agent);
  const deployment = await app.launch(first.promotion.id);
  const second = await from(app, { KEY: 'vault:main/shop/db#password' }, agent);
  await app.launch(second.promotion.id);
  vault.breaks((response) => {
    vault.breaks();
    const removed = sql`update orchestrator.agent_tasks set state = 'superseded' where deployment_id = ${deployment.id}`;
    void app.deps.database
      .write(toTenantId('acme'), (tx) => tx.run(removed))
      .then(() => response.writeHead(200).end(JSON.stringify({ data: { data: { key: 'one' }, metadata: {} } })));
  });
  assert.equal(await app.lease(agent), null);
  const { task } = await leased(app, agent);
  assert.ok(task.secrets);
  assert.deepEqual(JSON.parse(openSealed(agent.privateKey, task.secrets, task.taskId)).env, { KEY: password });
});

test('a value that was deployed is in no row of the database, and in no answer', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const { promotion } = await from(app, { PASSWORD: 'vault:main/shop/db#password' }, agent);
  const { id } = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, landedAt(assignment));
  const deployment = await app.module.deployments.get(app.caller('viewer'), { id });
  assert.equal(deployment.state, 'completed');
  assert.ok(!JSON.stringify([deployment, assignment]).includes(password));
  assert.deepEqual(await findRowsWith(app, [password, token]), []);
});
