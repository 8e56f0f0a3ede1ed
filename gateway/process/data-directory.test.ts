import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDataDirectory } from './data-directory.ts';

test('a data directory is made with its parents, and one that is there is kept', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'landfall-place-'));
  t.after(() => rm(root, { recursive: true }));
  const path = join(root, 'a/b/c');
  await makeDataDirectory(path);
  await makeDataDirectory(path);
  assert.ok((await stat(path)).isDirectory());
});

test('a place that cannot hold data is refused with setting, value and remedy, and never waited for', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'landfall-place-'));
  t.after(() => rm(root, { recursive: true }));
  const file = join(root, 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'below'), '/proc/self/nothing/below'])
    await assert.rejects(makeDataDirectory(path), ({ message }) => {
      assert.ok(message.startsWith(`LANDFALL_DATA_DIR: ${path} cannot hold the data: `), message);
      assert.match(message, /; name a directory that this user may write to\.$/);
      return true;
    });
});
