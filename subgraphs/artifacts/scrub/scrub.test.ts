import assert from 'node:assert/strict';
import { readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { arm } from '@landfall/kernel/system/failpoint';
import { objectMoves } from '../objects/object-moves.ts';
import { artifactApp, billOf, IMAGE, operator, STORAGES, viewer } from '../testing/artifact-app.ts';

const DAY_MS = 86_400_000;
const MARKER = '.landfall-store';
const events = table('kernel.events scrubbed', { type: text });

type App = Awaited<ReturnType<typeof artifactApp>>;

const objectsOf = async (app: App) => (await app.files('objects')).filter((path) => path !== app.fileOf(MARKER));

const typesOf = async (app: App) =>
  (await app.rows(events, sql`select type from kernel.events where type like 'artifact.%' order by id`)).map(
    ({ type }) => type,
  );

/** Changes the bytes of the only object. */
const spoil = async (app: App): Promise<void> => {
  const [path = ''] = await objectsOf(app);
  await writeFile(path, (await readFile(path, 'utf8')).toUpperCase());
};

/** Makes every object as old as an abandoned one. */
const age = async (app: App): Promise<void> => {
  for (const path of await objectsOf(app)) await utimes(path, 0, 0);
};

/** Puts a document whose process is killed before its row is there: an object without a row stays. */
const abandon = async (app: App, ...[document, given]: Parameters<App['put']>): Promise<void> => {
  using _ = arm('artifacts.put.unindexed', () => assert.fail('killed'));
  await assert.rejects(app.put(document, given), /killed/);
};

for (const storage of STORAGES)
  test(`the sweeper moves an object without a row to the trash for 7 days, and leaves files that are no objects (${storage})`, async () => {
    await using app = await artifactApp({ storage });
    await abandon(app, billOf());
    const note = app.fileOf('artifacts/note.txt');
    await writeFile(note, 'not ours');
    await age(app);
    assert.equal(await app.module.scrub.sweep(), 1);
    assert.deepEqual(await objectsOf(app), [note]);
    assert.equal((await app.files('trash')).length, 1);
    await app.clock.advance(7 * DAY_MS);
    await app.module.scrub.sweep();
    assert.equal((await app.files('trash')).length, 1);
    await app.clock.advance(DAY_MS);
    await app.module.scrub.sweep();
    assert.equal((await app.files('trash')).length, 0);
  });

for (const storage of STORAGES)
  test(`the sweeper takes nothing from a directory that another database is bound to (${storage})`, async () => {
    await using app = await artifactApp({ storage });
    await abandon(app, billOf());
    await age(app);
    await writeFile(app.fileOf(MARKER), '0197c0de-0000-4000-8000-000000000000');
    assert.equal(await app.module.scrub.sweep(), 0);
    assert.equal((await objectsOf(app)).length, 1);
  });

test('the sweeper takes nothing where the database does not know many of the objects', async () => {
  await using app = await artifactApp();
  for (let at = 0; at < 11; at++) await abandon(app, { at }, { bomRef: `at ${at}` });
  await age(app);
  assert.equal(await app.module.scrub.sweep(), 0);
  assert.equal((await objectsOf(app)).length, 11);
  await app.put({ at: 0 }, { bomRef: 'at 0' });
  await age(app);
  assert.equal(await app.module.scrub.sweep(), 10, 'ten are few enough');
});

for (const storage of STORAGES)
  test(`a put that finds its object gone puts it again (${storage})`, async () => {
    await using app = await artifactApp({ storage });
    const { artifact } = await app.put(billOf());
    const [path = ''] = await objectsOf(app);
    await rm(path);
    const again = await app.put(billOf());
    assert.deepEqual([again.artifact.artifactId, again.artifact.version], [artifact.artifactId, 2]);
    assert.deepEqual(await objectsOf(app), [path]);
    assert.equal((await app.put(billOf())).isNew, false);
  });

for (const storage of STORAGES)
  test(`a put whose object the sweeper takes before its row is there is refused (${storage})`, async () => {
    await using app = await artifactApp({ storage });
    {
      using _ = arm('artifacts.put.unindexed', async () => {
        await age(app);
        await app.module.scrub.sweep();
      });
      await assert.rejects(app.put(billOf()), { code: 'SYS_STORAGE_ERROR' });
    }
    assert.ok((await app.put(billOf())).isNew);
    assert.equal((await objectsOf(app)).length, 1);
  });

test('no put relies on an object that a killed sweeper may have moved away, until the next sweep has', async () => {
  await using app = await artifactApp();
  await abandon(app, billOf());
  await age(app);
  {
    using _ = arm('artifacts.sweep.moving', () => assert.fail('killed'));
    await assert.rejects(app.module.scrub.sweep(), /killed/);
  }
  await assert.rejects(app.put(billOf()), { code: 'SYS_STORAGE_ERROR' });
  await app.clock.advance(DAY_MS);
  await app.module.scrub.sweep();
  assert.ok((await app.put(billOf())).isNew);
});

test('the sweeper leaves an object whose move ended, and that was put again, since it listed the move', async () => {
  await using app = await artifactApp();
  const { database } = app.deps;
  const put = (of: string) => app.put({ of }, { bomRef: of });
  const isThere = async (key: string) => (await app.module.objects.stat(key)) !== undefined;
  const [first, second] = [(await put('first')).artifact, (await put('second')).artifact];
  for (const { storageKey, artifactId } of [first, second]) {
    await database.system.write((tx) => objectMoves.begin(tx, { artifactId, storageKey, purpose: 'quarantine' }));
    await app.clock.advance(DAY_MS);
  }
  await database.write(operator.tenant, (tx) =>
    tx.run(sql`update evidence.artifact_index set corrupt_at = kernel.now()`),
  );
  {
    using _ = arm('artifacts.sweep.moving', async () => {
      // The sweeper moves the first; the scrubber leaves that to it, and moves the second.
      await app.module.scrub.scrub();
      assert.deepEqual([await isThere(first.storageKey), await isThere(second.storageKey)], [true, false]);
      await assert.rejects(put('first'), { code: 'SYS_STORAGE_ERROR' });
      await put('second');
    });
    await app.module.scrub.sweep();
  }
  await put('first');
  assert.deepEqual([await isThere(first.storageKey), await isThere(second.storageKey)], [true, true]);
});

test('a scrubber that was killed between the mark and the move finishes the quarantine, but not of a healed object', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__SCRUBDAYS: '30' } });
  await app.put(billOf());
  const mark = () =>
    app.deps.database.write(operator.tenant, (tx) =>
      tx.run(sql`update evidence.artifact_index set corrupt_at = kernel.now(), quarantined_at = null`),
    );
  await mark();
  await app.module.scrub.scrub();
  assert.deepEqual([(await objectsOf(app)).length, (await app.files('quarantine')).length], [0, 1]);
  await mark();
  await app.put(billOf());
  await app.module.scrub.scrub();
  assert.deepEqual([(await objectsOf(app)).length, (await app.files('quarantine')).length], [1, 1]);
});

for (const storage of STORAGES)
  test(`of two scrubbers that find the same damage one marks it and moves the object once (${storage})`, async () => {
    await using app = await artifactApp({ storage, env: { ARTIFACTS__SCRUBDAYS: '30' } });
    await app.put(billOf());
    await app.clock.advance(31 * DAY_MS);
    await spoil(app);
    await Promise.all([app.module.scrub.scrub(), app.module.scrub.scrub()]);
    assert.deepEqual(await typesOf(app), ['artifact.put', 'artifact.corrupt']);
    assert.equal((await app.files('quarantine')).length, 1);
  });

test('an object that cannot be read is told of and stays, and the scrubber goes on to the next', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__SCRUBDAYS: '30' } });
  await app.put(billOf());
  const [path = ''] = await objectsOf(app);
  await app.put(billOf(), { bomRef: 'other' });
  await app.clock.advance(31 * DAY_MS);
  // A loop of links where a folder of the key was: reading ends in ELOOP, as a broken disk does in EIO.
  const folder = join(path, '..');
  await rename(folder, `${folder}.kept`);
  await symlink(folder, folder);
  assert.equal(await app.module.scrub.scrub(), 2);
  assert.equal(await app.module.scrub.scrub(), 0, 'it is tried again after a day');
  assert.deepEqual(await typesOf(app), ['artifact.put', 'artifact.put', 'artifact.unreadable']);
  await rm(folder);
  await rename(`${folder}.kept`, folder);
  await app.clock.advance(2 * DAY_MS);
  assert.equal(await app.module.scrub.scrub(), 1);
  const { items } = await app.module.artifacts.search(viewer, { subjectDigest: IMAGE });
  assert.ok(items.length === 2 && items.every(({ corruptAt }) => corruptAt === null));
});

test('a check that began before a reader found damage does not end the doubt', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__SCRUBDAYS: '30' } });
  const { artifact } = await app.put(billOf());
  const { tenant } = operator;
  await app.clock.advance(31 * DAY_MS);
  const read = async () => buffer((await app.module.readArtifact(tenant, artifact.artifactId)).stream);
  const path = app.fileOf(artifact.storageKey);
  const whole = await readFile(path);
  for (const _doubt of [1, 2]) {
    await writeFile(path, whole);
    using _ = arm('artifacts.scrub.read', async () => {
      await writeFile(path, 'changed');
      await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
    });
    assert.equal(await app.module.scrub.scrub(), 1);
  }
  assert.equal(await app.module.scrub.scrub(), 1);
  assert.deepEqual(await typesOf(app), ['artifact.put', 'artifact.corrupt']);
});

test('bytes that were being received when their process was killed go after an hour', async () => {
  await using app = await artifactApp();
  await app.put(billOf());
  const incoming = join(app.objectsDirectory, '..', 'incoming');
  for (const name of ['old', 'new']) await writeFile(join(incoming, name), 'half');
  await utimes(join(incoming, 'old'), 0, 0);
  const now = app.clock.now();
  await utimes(join(incoming, 'new'), now, now);
  await app.module.scrub.sweep();
  assert.deepEqual(await app.files('incoming'), [join(incoming, 'new')]);
});
