import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMatrix, tenantTables } from '@landfall/kernel/testing/matrix';
import pg from 'pg';
import { MARK } from './seed.ts';
import { createTestInstallation } from './test-installation.ts';

const unscoped = {
  'user.me': 'whoever has a token may know whose it is',
  'user.resolve': 'names stand beside every record, whoever may read that',
  'user.waysIn': 'of themselves people may know; of others it tells administrators alone',
  'group.ofPeople': 'of themselves people may know; of others it tells administrators alone',
  'session.list': 'everybody sees their own; of others it tells administrators alone',
  'session.revoke': 'everybody ends their own',
  'tokenFamily.list': 'everybody sees their own; of others it tells administrators alone',
  'tokenFamily.revoke': 'everybody ends their own',
  'passkey.list': 'a person’s own',
  'passkey.begin': 'a person’s own',
  'passkey.add': 'a person’s own',
  'passkey.remove': 'a person’s own',
  'view.list': 'everybody’s own, and what is shared in the tenant',
  'view.save': 'everybody’s own',
  'view.remove': 'everybody’s own',
  'registryAccess.simulate': 'anybody may ask about themselves',
  'agent.register': 'the registration token admits',
  'agent.renewCertificate': 'the client certificate admits',
  'agent.heartbeat': 'the client certificate admits',
  'agentTask.lease': 'the client certificate admits',
  'agentTask.report': 'the client certificate admits',
  'agentTask.log': 'the client certificate admits',
};

const shared = {
  'transparencyLog.get': 'one log holds the hashes of all, and anybody may read it',
  'signingKey.list': 'one ring signs for all',
  'registryPlan.list': 'plans are the installation’s',
  'registryAccess.simulate': 'the rules are the installation’s; it looks nothing up',
  'registrySigning.read': 'registries of all trust one authority',
  'searchAdapters.list': 'where documents come from, and how many: nothing of what they say',
};

test('no operation shows or changes anything of another tenant', async () => {
  await using world = await createTestInstallation();
  assert.deepEqual(await checkMatrix({ ...world, mark: MARK, owner: 'acme', other: 'globex', unscoped, shared }), []);
});

test('whatever a statement asks for, the app role is given rows of its tenant only', async () => {
  await using world = await createTestInstallation();
  const owner = new pg.Client(world.connection);
  const app = new pg.Client({ ...world.connection, options: '-c role=landfall_app' });
  await Promise.all([owner.connect(), app.connect()]);
  const { rows: tables } = await owner.query<{ name: string }>(
    `select name from (${tenantTables}) t where has_table_privilege('landfall_app', name, 'select')`,
  );
  const seen = async (tenant: string): Promise<readonly (readonly [string, string])[]> => {
    await app.query("select set_config('landfall.tenant', $1, false)", [tenant]);
    const found = [];
    for (const { name } of tables) {
      const { rows } = await app.query<{ tenant: string }>(`select distinct tenant from ${name}`);
      found.push(...rows.map((row) => [name, row.tenant] as const));
    }
    return found;
  };
  const owns = await seen('acme');
  assert.ok(owns.length > tables.length / 2, 'acme has rows in most tables');
  assert.ok(owns.every(([, tenant]) => tenant === 'acme'));
  assert.ok((await seen('globex')).every(([, tenant]) => tenant === 'globex'));
  assert.deepEqual(await seen(''), [], 'nobody has nothing');
  await Promise.all([owner.end(), app.end()]);
});
