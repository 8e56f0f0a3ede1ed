import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { migrate } from '@landfall/kernel/db/migrate';
import { migrationDirs } from '@landfall/kernel/testing/cluster';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { landfall } from './cli-process.fixture.ts';

const rootKey = (): string => randomBytes(32).toString('base64');

const directory = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-keys-'));
  await chmod(path, 0o755); // as root, PostgreSQL's own user passes through
  t.after(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
};

test('a key is rotated and the former one keeps its end; a foreign root key, or none, rotates nothing', async (t) => {
  await using cloned = await testDatabase();
  const env = { DATABASE_URL: cloned.url, LANDFALL_SECRET_KEY: rootKey(), LANDFALL_DATA_DIR: await directory(t) };
  const list = async (): Promise<string[]> => {
    const { code, out, err } = await landfall(['keys', 'list'], { env });
    assert.deepEqual([code, err], [0, '']);
    return out.split('\n').slice(0, -1);
  };
  assert.deepEqual(await list(), []);
  const first = await landfall(['keys', 'rotate', 'log'], { env });
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^log {10}[0-9a-f]{64} {2}ed25519 +from \S+Z {2}signs\n$/);
  const second = await landfall(['keys', 'rotate', 'log'], { env });
  const [now = '', before = '', ...rest] = await list();
  assert.deepEqual([`${now}\n`, rest], [second.out, []]);
  assert.match(before, /until \S+Z$/);
  assert.ok(before.startsWith(first.out.slice(0, 80)));

  const other = await landfall(['keys', 'rotate', 'log'], { env: { ...env, LANDFALL_SECRET_KEY: rootKey() } });
  assert.deepEqual([other.code, other.out], [2, '']);
  assert.match(other.err, /^landfall: The root key that is given opens none of this platform’s keys/);
  const none = await landfall(['keys', 'rotate', 'log'], { env: { ...env, LANDFALL_SECRET_KEY: '' } });
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /^landfall: The root key is neither in LANDFALL_SECRET_KEY nor in .*secret\.key; say where/);
  assert.equal((await list()).length, 2);
});

test('keys are listed with the keys themselves, for a verifier of its own', async (t) => {
  await using cloned = await testDatabase();
  const env = { DATABASE_URL: cloned.url, LANDFALL_SECRET_KEY: rootKey(), LANDFALL_DATA_DIR: await directory(t) };
  const rotated = await landfall(['keys', 'rotate', 'manifest'], { env });
  const { out } = await landfall(['keys', 'list', '--pem'], { env });
  assert.ok(out.startsWith(rotated.out));
  const spki = createPublicKey(out.slice(rotated.out.length)).export({ format: 'der', type: 'spki' });
  assert.equal(createHash('sha256').update(spki).digest('hex'), /[0-9a-f]{64}/.exec(rotated.out)?.[0]);
});

test('the embedded database is read while its server runs, and when it does not', async (t) => {
  const home = await directory(t);
  await mkdir(join(home, 'postgres'));
  await writeFile(join(home, 'secret.key'), `${rootKey()}\n`, { mode: 0o600 });
  const env = { LANDFALL_DATA_DIR: home };
  const server = await startPostgres({ dataDir: join(home, 'postgres'), settings: { fsync: 'off' } });
  const stopped = { is: false };
  t.after(() => (stopped.is ? undefined : server.stop()));
  const empty = await landfall(['audit', 'verify'], { env });
  assert.equal(empty.code, 2);
  assert.match(empty.err, /^landfall: /);
  await migrate(server.connection, await migrationDirs());
  const running = await landfall(['keys', 'rotate', 'attestation'], { env });
  assert.equal(running.code, 0, running.err);
  await server.stop();
  stopped.is = true;
  const after = await landfall(['keys', 'list'], { env });
  assert.deepEqual([after.code, after.out], [0, running.out], after.err);
  const audit = await landfall(['audit', 'verify'], { env });
  assert.match(audit.out, /^The audit trail is whole\.$/m);
});
