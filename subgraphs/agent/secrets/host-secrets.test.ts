import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createHostSecrets, defaultEnvPrefix } from './host-secrets.ts';

const setUp = async (t: TestContext) => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'landfall-secrets-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  const directory = join(dataDirectory, 'secrets');
  await mkdir(join(directory, 'db'), { recursive: true });
  await writeFile(join(directory, 'db/url'), 'postgres://secret\n');
  await writeFile(join(dataDirectory, 'outside'), 'not yours');
  await symlink('../outside', join(directory, 'way-out'));
  await symlink('db/url', join(directory, 'inside'));
  return createHostSecrets({
    directory,
    prefix: defaultEnvPrefix,
    env: { RELEASE_SECRET_KEY: 'k', OTHER: 'never' },
  });
};

test('a secret of the host is found in a file below the directory or in a variable with the prefix', async (t) => {
  const find = await setUp(t);
  assert.deepEqual(await find({ URL: 'file:db/url', AGAIN: 'file:inside', KEY: 'env:RELEASE_SECRET_KEY' }), {
    URL: 'postgres://secret',
    AGAIN: 'postgres://secret',
    KEY: 'k',
  });
});

test('nothing else of the host can be read by a reference', async (t) => {
  const find = await setUp(t);
  const refused = [
    ['file:../outside', /no file of a secret’s size below/],
    ['file:way-out', /no file of a secret’s size below/],
    ['file:/etc/hostname', /no file of a secret’s size below/],
    ['file:db/../../outside', /no file of a secret’s size below/],
    ['file:db', /no file of a secret’s size below/],
    ['file:.', /no file of a secret’s size below/],
    ['file:none', /no file of a secret’s size below/],
    ['env:OTHER', /does not begin with RELEASE_SECRET_/],
    ['env:RELEASE_SECRET_NONE', /is not set/],
  ] as const;
  for (const [path, reason] of refused)
    await assert.rejects(find({ VALUE: path }), (error: Error) => {
      assert.match(error.message, reason, path);
      assert.match(error.message, /^VALUE: /);
      assert.doesNotMatch(error.message, /never|not yours/);
      return true;
    });
});

test('without a secrets directory no file is one', async () => {
  const find = createHostSecrets({ directory: undefined, prefix: defaultEnvPrefix, env: {} });
  await assert.rejects(find({ URL: 'file:db/url' }), /no secrets directory/);
});

test('a setting of the platform is given to no release, whatever the prefix', async () => {
  const names = [
    'LANDFALL_SECRET_KEY',
    'LANDFALL_AGENT_TOKEN',
    'DATABASE_URL',
    'database__password',
    'REGISTRY_TOKEN_X',
  ];
  for (const prefix of ['', 'L', 'LANDFALL_SECRET_', 'LANDFALL_', 'DATABASE_', 'd', 'REGISTRY_'])
    for (const name of names) {
      const find = createHostSecrets({ directory: undefined, prefix, env: { [name]: 'never' } });
      await assert.rejects(find({ VALUE: `env:${name}` }), /is a setting of the platform/, `${name} by ${prefix}`);
    }
});
