import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTenants } from '@landfall/authority';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import { testDeps } from '@landfall/kernel/testing/app';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import pg from 'pg';
import { landfall } from './cli-process.fixture.ts';

const installation = async () => {
  const cloned = await testDatabase();
  const env = { DATABASE_URL: cloned.url, LANDFALL_SECRET_KEY: randomBytes(32).toString('base64') };
  return {
    run: (...args: string[]) => landfall(['tenant', ...args], { env }),
    async rows(text: string): Promise<unknown[]> {
      const client = new pg.Client(cloned.connection);
      await client.connect();
      const { rows } = await client.query({ text, rowMode: 'array' }).finally(() => client.end());
      return rows.flat();
    },
    [Symbol.asyncDispose]: () => cloned.drop(),
  };
};

test('a tenant is made and brought to its terms; what is left out stays, and again is the same', async () => {
  await using home = await installation();
  assert.deepEqual(await home.run('list'), { code: 0, out: '', err: '' });
  const output = async (...args: string[]) => {
    const { code, out } = await home.run(...args);
    assert.equal(code, 0);
    return out;
  };
  const plain = 'acme  acme  active  plans none  licence none\n';
  assert.equal(await output('set', 'acme', '--name', 'acme'), `made  ${plain}`);
  const terms = ['--name', 'Acme Ltd', '--plans', 'gold, silver', '--license', 'L-1'];
  const line = 'acme  Acme Ltd  active  plans gold,silver  licence L-1\n';
  assert.equal(await output('set', 'acme', ...terms), `changed  ${line}`);
  assert.equal(await output('set', 'acme', ...terms), `unchanged  ${line}`);
  assert.equal(await output('set', 'acme', '--license', ''), `changed  ${line.replace('L-1', 'none')}`);
  assert.equal(
    await output('set', 'globex', '--name', 'Globex', '--plans', 'bronze'),
    'made  globex  Globex  active  plans bronze  licence none\n',
  );
  assert.equal((await output('list')).split('\n').length, 3);
  assert.deepEqual(await home.rows(`select concat_ws(' ', tenant, type, actor) from kernel.events order by xid, id`), [
    'acme tenant.create command-line',
    'acme tenant.update command-line',
    'acme tenant.update command-line',
    'globex tenant.create command-line',
    'globex tenant.update command-line',
  ]);
});

test('a plan that the settings do not have is pointed out, and set', async () => {
  await using home = await installation();
  await home.run('set', 'acme', '--name', 'Acme');
  const { code, out, err } = await home.run('set', 'acme', '--plans', 'gold');
  assert.deepEqual([code, out], [0, 'changed  acme  Acme  active  plans gold  licence none\n']);
  assert.match(err, /^landfall: RegistryToken:Plans of the settings here has no gold \(they have none\)\./);
});

test('a change of a tenant whose event cannot be written is no change', async () => {
  await using home = await installation();
  await home.run('set', 'acme', '--name', 'Acme');
  await home.rows("alter table kernel.events add constraint no_stop check (type <> 'tenant.stop')");
  assert.notEqual((await home.run('stop', 'acme')).code, 0);
  assert.deepEqual(await home.rows('select active from authority.tenants'), [true]);
  assert.deepEqual(await home.rows('select id from kernel.stopped'), []);
});

test('a tenant is stopped and goes on, each written once however often it is said', async () => {
  await using home = await installation();
  await home.run('set', 'acme', '--name', 'acme');
  for (let n = 0; n < 2; n++) assert.match((await home.run('stop', 'acme')).out, /^acme {2}acme {2}stopped /);
  assert.deepEqual(await home.rows('select kind || id from kernel.stopped'), ['tenantacme']);
  assert.match((await home.run('set', 'acme', '--plans', 'gold')).out, /^changed .*stopped {2}plans gold/);
  for (let n = 0; n < 2; n++) assert.match((await home.run('resume', 'acme')).out, /^acme {2}acme {2}active /);
  assert.deepEqual(await home.rows('select kind || id from kernel.stopped'), []);
  assert.deepEqual(await home.rows('select type from kernel.events order by id'), [
    'tenant.create',
    'tenant.stop',
    'tenant.update',
    'tenant.resume',
  ]);
});

test('what cannot be is refused in the words of the command line', async () => {
  await using home = await installation();
  const refused = async (...args: string[]) => {
    const { code, out, err } = await home.run(...args);
    assert.deepEqual([code, out], [2, '']);
    return err;
  };
  assert.match(await refused('stop', 'acme'), /^landfall: There is no tenant acme\.\n$/);
  assert.match(await refused('set', 'Acme!'), /^landfall: <slug> /);
  assert.match(await refused('set', 'acme', '--plans', 'go ld'), /^landfall: --plans\.0 /);
  assert.match(await refused('set', 'acme', '--license', 'ä'), /^landfall: --license /);
  assert.match(await refused('set', 'nosuch', '--plans', 'team'), /^landfall: --name is needed .* no nosuch yet\n$/);
  assert.match(await refused('set'), /^slug is missing\./);
  assert.match(await refused('set', 'acme', '--size', '1'), /Unknown option '--size'/);
});

test('whatever was issued in a stopped tenant is denied, in it alone', async () => {
  await using base = await testDeps();
  const tenants = createTenants(base.deps, 'operator');
  for (const tenant of ['acme', 'globex']) await tenants.set({ tenant, name: tenant });
  await tenants.stop('acme');
  const denied = (tenant: string) => base.deps.database.system.read((query) => isRevoked(query, { jti: 'x', tenant }));
  assert.deepEqual([await denied('acme'), await denied('globex')], [true, false]);
  await tenants.resume('acme');
  assert.equal(await denied('acme'), false);
});
