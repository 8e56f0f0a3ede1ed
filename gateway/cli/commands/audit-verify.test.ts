import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { anchorSeals, sealBatch } from '@landfall/kernel/events/sealer';
import { event } from '@landfall/kernel/events/write';
import { toTenantId } from '@landfall/kernel/ids';
import { createSigningKeys } from '@landfall/kernel/signing/signing-keys';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { createTransparencyLog } from '@landfall/orchestrator/tlog/log';
import pg from 'pg';
import { landfall } from './program.fixture.ts';

const ORIGIN = 'landfall.example/log';
const tenant = toTenantId('acme');
const who = { ...caller({ subject: 'amir' }), tenant };

let home: string;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'landfall-audit-'));
});
after(() => rm(home, { recursive: true, force: true }));

/** A database with a trail, which is sealed and logged as a server does it, and the command over it. */
const trail = async () => {
  const base = await testDeps();
  const { deps, connection, rootKey } = base;
  const keys = createSigningKeys(deps);
  const { log, reading } = createTransparencyLog(deps, { origin: ORIGIN, keys });
  const url = `postgresql://postgres@localhost/${connection.database}?host=${encodeURIComponent(connection.host)}`;
  const client = new pg.Client(connection);
  await client.connect();
  let written = 0;
  let sealed = 0;
  const write = async (count: number): Promise<void> => {
    for (const end = written + count; written < end; written += 1)
      await deps.database.write(tenant, (tx) =>
        event(tx, who, 'note.write', { entity: 'Note', id: `n${written}`, version: 1 }),
      );
  };
  return {
    ...base,
    keys,
    log,
    reading,
    write,
    /** Statements of whoever owns the database. */
    force: (statement: string) => client.query(statement),
    seal: async (batch: number): Promise<void> => {
      while (sealed < written) {
        const count = await sealBatch(deps, batch);
        sealed += count;
        // Transactions of other databases hold the horizon back for a moment.
        if (count === 0) await sleep(10);
      }
      while ((await anchorSeals(deps, log.append)) > 0);
    },
    verify: (...args: string[]) => landfall(['audit', 'verify', ...args], { env: { DATABASE_URL: url } }),
    keep: async (name: string): Promise<string> => {
      const path = join(home, name);
      await writeFile(path, (await reading.newest())?.note ?? '');
      return path;
    },
    program: (failpoint: string) =>
      runToFailpoint({
        program: new URL('./sealing.fixture.ts', import.meta.url),
        arguments: [url, rootKey.toString('hex'), ORIGIN],
        failpoint,
      }),
    async [Symbol.asyncDispose]() {
      await client.end();
      await base[Symbol.asyncDispose]();
    },
  };
};

const nth = (n: number): string =>
  `(xid, id) = (select xid, id from kernel.events order by xid, id offset ${n} limit 1)`;

test('a whole trail is said to be whole; an edited row, a seal and an entry of the log are named', async () => {
  await using world = await trail();
  const empty = await world.verify();
  assert.deepEqual([empty.code, empty.err], [0, '']);
  await world.write(10);
  await world.seal(4);
  const kept = await world.keep('kept');
  await world.write(3);
  await world.seal(4);
  await world.write(1);

  const good = await world.verify('--checkpoint', kept);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /^ {2}13 events under \d+ seals, the newest \d+ of 2026-01-15T09:00:00Z$/m);
  assert.match(good.out, /^ {2}1 events not sealed yet$/m);
  assert.match(good.out, /^The audit trail is whole\.$/m);

  await world.force(`update kernel.events set actor = 'mallory' where ${nth(5)}`);
  const edited = await world.verify();
  assert.equal(edited.code, 1);
  assert.match(
    edited.out,
    /^ {2}WRONG {2}Event \d+-\d+ \(acme, note\.write of Note n5\), under seal \d+, was edited\.$/m,
  );
  assert.match(edited.out, /^The audit trail was tampered with: 1 findings\.$/m);
  await world.force(`update kernel.events set actor = 'amir' where ${nth(5)}`);

  await world.force(
    `update tlog.entries set body = convert_to(replace(convert_from(body, 'utf8'), '"sequence":2}', '"sequence":1}'), 'utf8') where idx = 1`,
  );
  const forged = await world.verify();
  assert.equal(forged.code, 1);
  assert.match(forged.out, /WRONG {2}Entry 1 of the log was edited\./);
});

test('a log that was made anew is not the one that somebody kept a checkpoint of', async () => {
  await using world = await trail();
  await world.write(9);
  await world.seal(2);
  const kept = await world.keep('kept-before');
  assert.equal((await world.verify('--checkpoint', kept)).code, 0);

  // Everything that is in the database is made anew, with the platform's own keys: seals, log, checkpoint.
  await world.force(`update kernel.events set actor = 'mallory' where ${nth(0)}`);
  await world.force('delete from kernel.event_seals');
  await world.force('truncate tlog.checkpoints, tlog.cosignatures, tlog.tiles, tlog.entries cascade');
  const other = createTransparencyLog(world.deps, { origin: ORIGIN, keys: world.keys }).log;
  while ((await sealBatch(world.deps, 2)) > 0);
  while ((await anchorSeals(world.deps, other.append)) > 0);
  assert.equal((await world.verify()).code, 0, 'nothing inside the database tells');
  const told = await world.verify('--checkpoint', kept);
  assert.equal(told.code, 1);
  assert.match(told.out, /WRONG {2}(?:The first \d+ entries of the log are not those|The log had \d+ entries)/);
});

test('entries of the log that are gone, and a checkpoint under another key, are found', async () => {
  await using world = await trail();
  await world.write(6);
  await world.seal(1);
  await world.force('delete from tlog.entries where idx = 2');
  const gone = await world.verify();
  assert.equal(gone.code, 1);
  assert.match(gone.out, /WRONG {2}Entry 2 of the log was deleted\./);
  assert.doesNotMatch(gone.out, /Entry [013-5]/);

  await world.force("delete from kernel.signing_keys where purpose = 'log'");
  const unsigned = await world.verify();
  assert.match(unsigned.out, /WRONG {2}The log's newest checkpoint is not signed by a key of landfall\.example\/log\./);
});

for (const failpoint of ['events.seal.sealing', 'events.seal.sealed', 'events.seal.anchored'])
  test(`killed at ${failpoint}, the next process goes on: one chain, and the log has each seal once`, async () => {
    await using world = await trail();
    await world.write(6);
    // The horizon may stand still for a moment, and then the program would have nothing to seal.
    while (
      (
        await world.force(`select from kernel.events
      where xid >= pg_snapshot_xmin(pg_current_snapshot())`)
      ).rowCount !== 0
    )
      await sleep(10);
    await world.program(failpoint);
    await world.write(2);
    const count = async (what: string): Promise<number> =>
      Number((await world.force(`select ${what} as count from kernel.event_seals`)).rows[0]?.count ?? 0);
    while ((await count('sum(count)')) < 8) if ((await sealBatch(world.deps, 4)) === 0) await sleep(10);
    while ((await anchorSeals(world.deps, world.log.append)) > 0);
    const { code, out } = await world.verify();
    assert.equal(code, 0, out);
    assert.equal((await world.reading.newest())?.size, await count('count(*)'));
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
  const away = await at({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/x' });
  assert.equal(away.code, 2);
  assert.match(away.err, /^landfall: DATABASE_URL: no PostgreSQL answers/);
  const file = join(home, 'not-a-checkpoint');
  await writeFile(file, 'hello\n');
  assert.match((await at({}, '--checkpoint', file)).err, /is no checkpoint of a log/);
  assert.match((await at({}, '--checkpoint', join(home, 'missing'))).err, /missing cannot be read \(ENOENT\)/);
  const other = `other.example/log\n0\n${Buffer.alloc(32).toString('base64')}\n\n— other.example/log ${Buffer.alloc(68).toString('base64')}\n`;
  await writeFile(file, other);
  const foreign = await at({}, '--checkpoint', file);
  assert.deepEqual([foreign.code, foreign.err.includes('is a checkpoint of other.example/log')], [2, true]);
});
