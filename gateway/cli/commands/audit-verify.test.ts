import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTransparencyLog } from '@landfall/attestation/log/log';
import { sealBatch } from '@landfall/kernel/events/sealer';
import { until } from '@landfall/kernel/testing/until';
import { createTrail } from './audit-verify.fixture.ts';
import { landfall } from './cli-process.fixture.ts';

const ORIGIN = 'landfall.example';

let home: string;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'landfall-audit-'));
});
after(() => rm(home, { recursive: true, force: true }));

const nth = (n: number): string =>
  `(xid, id) = (select xid, id from kernel.events order by xid, id offset ${n} limit 1)`;

test('a whole trail is said to be whole; an edited row, a seal and an entry of the log are named', async () => {
  await using trail = await createTrail();
  const empty = await trail.verify();
  assert.deepEqual([empty.code, empty.err], [0, '']);
  await trail.write(10);
  await trail.seal(4);
  const checkpoint = await trail.keep('kept');
  await trail.write(3);
  await trail.seal(4);
  await trail.write(1);

  const good = await trail.verify('--checkpoint', checkpoint);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /^ {2}13 events under \d+ seals, the newest \d+ of 2026-01-15T09:00:00Z$/m);
  assert.match(good.out, /^ {2}1 events not sealed yet$/m);
  assert.match(good.out, /^The audit trail is whole\.$/m);

  await trail.force(`update kernel.events set actor = 'mallory' where ${nth(5)}`);
  const edited = await trail.verify();
  assert.equal(edited.code, 1);
  assert.match(
    edited.out,
    /^ {2}WRONG {2}Event \d+-\d+ \(acme, note\.write of Note n5\), under seal \d+, was edited\.$/m,
  );
  assert.match(edited.out, /^The audit trail was tampered with: 1 finding\.$/m);
  await trail.force(`update kernel.events set actor = 'amir' where ${nth(5)}`);

  await trail.force(
    `update tlog.entries set body = convert_to(replace(convert_from(body, 'utf8'), '"sequence":2}', '"sequence":1}'), 'utf8') where idx = 1`,
  );
  const forged = await trail.verify();
  assert.equal(forged.code, 1);
  assert.match(forged.out, /WRONG {2}Entry 1 of the log was edited\./);
});

test('a log that was made anew is not the one that somebody kept a checkpoint of', async () => {
  await using trail = await createTrail();
  await trail.write(9);
  await trail.seal(2);
  const checkpoint = await trail.keep('kept-before');
  assert.equal((await trail.verify('--checkpoint', checkpoint)).code, 0);

  // All seals, log entries and checkpoints of the database are created again with the platform's own keys.
  await trail.force(`update kernel.events set actor = 'mallory' where ${nth(0)}`);
  await trail.force('delete from kernel.event_seals');
  await trail.force('truncate tlog.checkpoints, tlog.cosignatures, tlog.tiles, tlog.entries cascade');
  const other = createTransparencyLog(trail.deps, { origin: ORIGIN, keys: trail.keys }).log;
  while ((await sealBatch(trail.deps, 2)) > 0);
  await trail.anchor(other);
  assert.equal((await trail.verify()).code, 0, 'nothing inside the database tells');
  const output = await trail.verify('--checkpoint', checkpoint);
  assert.equal(output.code, 1);
  assert.match(output.out, /WRONG {2}(?:The first \d+ entries of the log are not those|The log had \d+ entries)/);
});

test('entries of the log that are gone, and a checkpoint under another key, are found', async () => {
  await using trail = await createTrail();
  await trail.write(6);
  await trail.seal(1);
  await trail.force('delete from tlog.entries where idx = 2');
  await trail.force('update tlog.tiles set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0)) where level = 0');
  const removed = await trail.verify();
  assert.equal(removed.code, 1);
  assert.match(removed.out, /WRONG {2}Entry 2 of the log was deleted\./);
  assert.match(removed.out, /WRONG {2}Entry 0 of the log and its tile are not of each other: one of them was edited\./);
  assert.doesNotMatch(removed.out, /Entry [13-5]/);

  await trail.force("delete from kernel.signing_keys where purpose = 'log'");
  const unsigned = await trail.verify();
  assert.match(unsigned.out, /WRONG {2}The log's newest checkpoint is not signed by a key of landfall\.example\./);
});

test('what cannot be checked is 2, with the reason: no database, no checkpoint, one of another log', async () => {
  const at = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    landfall(['audit', 'verify', ...args], { env });
  const none = await at({ LANDFALL_DATA_DIR: join(home, 'none') });
  assert.equal(none.code, 2);
  assert.match(
    none.err,
    /^landfall: LANDFALL_DATA_DIR: .*none has no database in it; name it, or set DATABASE_URL\.\n$/,
  );
  const unreachable = await at({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/x' });
  assert.equal(unreachable.code, 2);
  assert.match(unreachable.err, /^landfall: DATABASE_URL: no PostgreSQL answers/);
  const file = join(home, 'not-a-checkpoint');
  await writeFile(file, 'hello\n');
  assert.match((await at({}, '--checkpoint', file)).err, /is no checkpoint of a log/);
  assert.match((await at({}, '--checkpoint', join(home, 'missing'))).err, /missing cannot be read \(ENOENT\)/);
});

test('a checkpoint of a log that this installation never had is 2, with its name', async () => {
  await using trail = await createTrail();
  const file = join(home, 'foreign');
  await writeFile(
    file,
    `other.example/log\n0\n${Buffer.alloc(32).toString('base64')}\n\n— other.example/log ${Buffer.alloc(68).toString('base64')}\n`,
  );
  const other = await trail.verify('--checkpoint', file);
  assert.equal(other.code, 2);
  assert.match(other.err, /is a checkpoint of other\.example\/log, and this is landfall\.example\.\n$/);
});

test('the logs of former platform domains are audited, too, and a checkpoint of theirs is worth as much', async () => {
  await using trail = await createTrail();
  await trail.write(6);
  await trail.seal(2);
  const checkpoint = await trail.keep('of-the-former');
  const moved = (...args: string[]) =>
    landfall(['audit', 'verify', ...args], {
      env: { DATABASE_URL: trail.url, LANDFALL_PLATFORM_DOMAIN: 'moved.example' },
    });
  const origin = 'moved.example/log';
  const { log } = createTransparencyLog(trail.deps, { origin, keys: trail.keys });
  await trail.write(2);
  await until(async () => (await sealBatch(trail.deps, 2)) > 0);
  await trail.anchor(log, origin);

  const good = await moved('--checkpoint', checkpoint);
  assert.deepEqual([good.code, good.err], [0, ''], good.out);
  assert.match(
    good.out,
    /^ {2}\d+ seals among \d+ entries of the log landfall\.example and \d+ entries of the log moved/m,
  );

  await trail.force("update tlog.entries set body = 'x' where idx = 1");
  const edited = await moved();
  assert.equal(edited.code, 1);
  assert.match(edited.out, /WRONG {2}Entry 1 of the log was edited\. \(landfall\.example\)/);
});

test('events that have waited long for a seal are 2: nothing says that they are whole', async () => {
  await using trail = await createTrail();
  await trail.write(3);
  await trail.seal(3);
  await trail.write(2);
  assert.equal((await trail.verify()).code, 0);
  await trail.clock.advance(61_000);
  const delayed = await trail.verify();
  assert.equal(delayed.code, 2, delayed.out);
  assert.match(
    delayed.out,
    /^ {2}LATE {2}2 events are not sealed, the oldest since 2026-01-15T09:00:00Z: does a server/m,
  );
  assert.match(delayed.out, /its end could not be checked\.$/m);
});
