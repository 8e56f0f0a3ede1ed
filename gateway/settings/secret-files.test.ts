import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defineSettings, loadSettings } from '@landfall/kernel/system/settings';
import { withSecretFiles } from './secret-files.ts';

const table = defineSettings({
  key: { type: 'string', env: 'APP_KEY', secret: true, description: 'A secret.' },
  name: { type: 'string', env: 'APP_NAME', description: 'No secret.' },
});

const fileWith = async (t: TestContext, text: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-secret-file-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'secret');
  await writeFile(path, text);
  return path;
};

test('a secret setting is read from the file that its _FILE variable names, without the last newline', async (t) => {
  const env = await withSecretFiles(table, { APP_KEY_FILE: await fileWith(t, 'two\nlines\n'), APP_NAME: 'x' });
  assert.deepEqual(loadSettings(table, { env }), { key: 'two\nlines', name: 'x' });
});

test('a setting that is no secret is not read from a file', async (t) => {
  const env = await withSecretFiles(table, { APP_NAME_FILE: await fileWith(t, 'x') });
  assert.equal(loadSettings(table, { env }).name, undefined);
});

test('a file that is missing or empty, and a secret that is given twice, are refused by name', async (t) => {
  await assert.rejects(
    withSecretFiles(table, { APP_KEY_FILE: '/nonexistent/key' }),
    /^Error: APP_KEY_FILE: \/nonexistent\/key cannot be read \(ENOENT\)/,
  );
  await assert.rejects(withSecretFiles(table, { APP_KEY_FILE: await fileWith(t, '\n') }), /APP_KEY_FILE: .* is empty/);
  await assert.rejects(
    withSecretFiles(table, { APP_KEY: 'a', APP_KEY_FILE: await fileWith(t, 'b') }),
    /^Error: APP_KEY and APP_KEY_FILE are both set/,
  );
});

test('an unset _FILE variable changes nothing', async () => {
  assert.deepEqual(await withSecretFiles(table, { APP_KEY: 'a', APP_KEY_FILE: '' }), {
    APP_KEY: 'a',
    APP_KEY_FILE: '',
  });
});
