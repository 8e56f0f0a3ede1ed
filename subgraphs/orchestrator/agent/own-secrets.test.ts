import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createOwnSecrets } from './own-secrets.ts';

const setUp = async (t: TestContext) => {
  const place = await mkdtemp(join(tmpdir(), 'landfall-secrets-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const directory = join(place, 'secrets');
  await mkdir(join(directory, 'db'), { recursive: true });
  await writeFile(join(directory, 'db/url'), 'postgres://secret\n');
  await writeFile(join(place, 'outside'), 'not yours');
  await symlink('../outside', join(directory, 'way-out'));
  await symlink('db/url', join(directory, 'inside'));
  return createOwnSecrets({
    directory,
    prefix: 'LANDFALL_SECRET_',
    env: { LANDFALL_SECRET_KEY: 'k', LANDFALL_AGENT_TOKEN: 'never' },
  });
};

test('a secret of the host is found in a file below the directory or in a variable with the prefix', async (t) => {
  const find = await setUp(t);
  assert.deepEqual(await find({ URL: 'file:db/url', AGAIN: 'file:inside', KEY: 'env:LANDFALL_SECRET_KEY' }), {
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
    ['env:LANDFALL_AGENT_TOKEN', /does not begin with LANDFALL_SECRET_/],
    ['env:LANDFALL_SECRET_NONE', /is not set/],
  ] as const;
  for (const [place, why] of refused)
    await assert.rejects(find({ VALUE: place }), (error: Error) => {
      assert.match(error.message, why, place);
      assert.match(error.message, /^VALUE: /);
      assert.doesNotMatch(error.message, /never|not yours/);
      return true;
    });
});

test('without a secrets directory no file is one', async () => {
  const find = createOwnSecrets({ directory: undefined, prefix: 'LANDFALL_SECRET_', env: {} });
  await assert.rejects(find({ URL: 'file:db/url' }), /no secrets directory/);
});
