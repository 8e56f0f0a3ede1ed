import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseRootKeys, rootKeys } from './root-key.ts';

const directory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-key-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

test('a key reads alike as base64, base64url and hex, and several may be given', () => {
  const key = Buffer.alloc(32, 0xfb);
  for (const text of [
    key.toString('base64'),
    key.toString('base64url'),
    key.toString('hex'),
    `${key.toString('hex')}\n`,
  ])
    assert.deepEqual(Buffer.from(parseRootKeys(text)[0]), key);
  assert.equal(parseRootKeys(`${key.toString('hex')}, ${key.toString('base64')}`).length, 2);
});

test('a key of another length is refused without being shown', () => {
  for (const text of ['', 'c2hvcnQ', 'ab'.repeat(31), `${'A'.repeat(44)}`, 'ab'.repeat(33)])
    assert.throws(
      () => parseRootKeys(text),
      (error) => error instanceof Error && (!text || !error.message.includes(text)),
    );
});

test('processes that start at the same time share one key, in a file only they can read', async () => {
  await using home = await directory();
  const dataDir = join(home.path, 'data');
  const settings = { secretKey: undefined, dataDir };
  const keys = await Promise.all(Array.from({ length: 8 }, () => rootKeys(settings)));
  for (const key of keys) assert.deepEqual(key, keys[0]);
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ['secret.key']);
  assert.deepEqual(await rootKeys(settings), keys[0]);
});

test('a key file that others may read is refused', async () => {
  await using home = await directory();
  const path = join(home.path, 'secret.key');
  await writeFile(path, Buffer.alloc(32).toString('base64'));
  await chmod(path, 0o640);
  await assert.rejects(rootKeys({ secretKey: undefined, dataDir: home.path }), /mode/);
});

test('a configured key is taken before any file', async () => {
  const secretKey = Buffer.alloc(32, 5).toString('base64');
  assert.deepEqual(await rootKeys({ secretKey, dataDir: '/nonexistent' }), parseRootKeys(secretKey));
});
