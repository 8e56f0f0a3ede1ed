import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { airgapApp, operator } from '@landfall/airgap/testing/airgap-app';
import { temporary } from '@landfall/airgap/testing/kits';
import { createTenants } from '@landfall/authority';
import { landfall } from './cli-process.fixture.ts';

/** Product of the tenant acme with its commands. */
const place = async (desk: string) => {
  const app = await airgapApp();
  await createTenants(app.deps, 'operator').set({ tenant: operator.tenant, name: 'Acme' });
  const { host, database } = app.connection;
  const env = {
    INIT_CWD: desk,
    LANDFALL_SECRET_KEY: app.rootKey.toString('base64'),
    LANDFALL_DATA_DIR: app.dataDir,
    DATABASE_URL: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(host)}`,
  };
  const run = (...args: string[]) => landfall(['sync', ...args], { env });
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  };
  return { ...app, run, succeed, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
};

test('a site asks a hub for a kit by the commands, and the hub has its want-list', async () => {
  await using desk = await temporary();
  await using site = await place(desk.path);
  await using hub = await place(desk.path);
  const { sync } = site.module;
  assert.match((await site.run('export', 'media')).err, /No job waits/);
  await site.succeed('site', 'show', 'site.json');
  const wantList = '{"payload":"e30="}';
  await assert.rejects(
    sync.enqueue(operator, { kind: 'kit_request', key: 'k', payload: JSON.stringify({ wantList }) }),
    { status: 400 },
  );
  await sync.enqueue(operator, { kind: 'kit_request', key: 'next kit' });
  const [, file = ''] = /: (.+)\n/.exec(await site.succeed('export', 'media')) ?? [];

  assert.deepEqual((await hub.run('import', file)).err.split(':')[0], 'sync_untrusted');
  assert.equal((await hub.run('site', 'add', file, '--name', 'Plant 7')).code, 2);
  assert.match(await hub.succeed('site', 'add', 'site.json', '--name', 'Plant 7'), /Site Plant 7, key [0-9a-f]{64}/);
  assert.match(await hub.succeed('import', file), /Bundle 1: 1 job, 0 known already, 0 in conflict, 0 refused/);
  assert.match(await hub.succeed('import', file), /imported already/);
  assert.match((await site.run('export', 'media', '--sequence', 'one')).err, /whole number/);
  await site.succeed('export', 'media', '--sequence', '1');
  assert.match(await hub.succeed('import', file), /imported already/);

  assert.match((await hub.run('want', 'other', 'want.json')).err, /No site requests/);
  assert.match(await hub.succeed('want', 'next kit', 'want.json'), /Plant 7/);
  assert.match(await readFile(join(desk.path, 'want.json'), 'utf8'), /kit-want-list/);
  assert.match(await readFile(join(desk.path, 'want.json.pub'), 'utf8'), /BEGIN PUBLIC KEY/);
});
