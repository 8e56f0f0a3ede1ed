import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '../db/database.ts';
import type { Query } from '../db/query.ts';
import { createTrail, memoryLog, nthEvent } from './audit.fixture.ts';
import { listEvents, listUnlogged } from './seal.store.ts';
import { eventLeaf, packCursor, positionOf, sealEntry } from './seal.ts';

const EVENTS = 6;
/** Events on one page of the audit's reader. */
const PAGE = 5_000;

const trail = await createTrail();
after(() => trail[Symbol.asyncDispose]());
const { client, database } = trail;
const log = memoryLog('landfall.example/log');
await trail.write(0, EVENTS);
await trail.seal(EVENTS, EVENTS);
await trail.anchor(log);
await trail.keep();

/** Changes the events, writes the changed list into the one seal, and audits. */
const withList = async (edit: string, order: <T>(all: readonly T[]) => readonly T[]) => {
  await client.query('begin');
  await client.query(edit);
  await client.query('commit');
  const remaining = await database.system.read((query) => listEvents(query, { xid: 0n, id: 0n }, EVENTS));
  const list = order(remaining.map((event) => ({ leaf: eventLeaf(event), place: packCursor(positionOf(event)) })));
  const leaves = Buffer.concat(list.map(({ leaf }) => leaf)).toString('hex');
  const cursors = Buffer.concat(list.map(({ place: location }) => location)).toString('hex');
  return trail.tampered([log], [`update kernel.event_seals set leaves = '\\x${leaves}', cursors = '\\x${cursors}'`]);
};

const orders = {
  'the other way round': <T>(all: readonly T[]) => all.toReversed(),
  'the first two in each other’s place': <T>([one, two, ...rest]: readonly T[]) =>
    [two, one, ...rest].filter((item) => item !== undefined),
  'as they are': <T>(all: readonly T[]) => all,
  'and the first over and over': <T>(all: readonly T[]) =>
    [...all, ...Array.from({ length: EVENTS }, () => all.slice(0, 1)).flat()].slice(0, EVENTS),
};

for (const [how, order] of Object.entries(orders)) {
  test(`an edited event is told of though the seal's list was made to match, ${how}`, async () => {
    const { kinds, findings } = await withList(
      `update kernel.events set actor = 'mallory' where ${nthEvent(1)}`,
      order,
    );
    assert.ok(kinds.includes('event-edited'), JSON.stringify(findings.map(({ text }) => text)));
  });

  test(`a deleted event is told of though the seal's list was made to match, ${how}`, async () => {
    const { findings } = await withList(`delete from kernel.events where ${nthEvent(2)}`, order);
    assert.match(findings[0]?.text ?? '', /^Events under seal 1 were edited, and its list of them as well/);
  });
}

test('a list that accuses another event is said to be edited itself', async () => {
  const { kinds } = await withList(`update kernel.events set actor = 'mallory' where ${nthEvent(1)}`, (all) =>
    all.with(4, all[3] ?? assert.fail()),
  );
  assert.ok(kinds.includes('seal-edited'), String(kinds));
});

test('nobody puts an event at the place of another', async () => {
  await assert.rejects(
    client.query(
      `insert into kernel.events (tenant, xid, id, type, entity, entity_id, version, actor, correlation_id, data)
       overriding system value
       select 'initech', xid, id, type, entity, entity_id, version, actor, correlation_id, data
       from kernel.events where ${nthEvent(0)}`,
    ),
    { code: '23505', constraint: 'events_place' },
  );
});

test('an event that was put at the place of another is named, also where the audit’s reader turns a page', async () => {
  await using long = await createTrail();
  await long.client.query(
    `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
     select 'acme', 'note.write', 'Note', 'n' || n, 1, 'amir', '', '{}' from generate_series(1, ${PAGE + 10}) n`,
  );
  await long.seal(PAGE + 10, 1_000);
  await long.client.query('drop index kernel.events_place');
  for (const at of [3, PAGE - 1]) {
    for (const tenant of ['aaaa', 'globex'])
      await long.client.query(
        `insert into kernel.events (tenant, xid, id, type, entity, entity_id, version, actor, correlation_id, data)
         overriding system value
         select '${tenant}', xid, id, 'release.approve', 'Release', 'r1', 1, 'eve', '', '{}' from kernel.events
         where tenant = 'acme' and entity_id = 'n${at + 1}'`,
      );
    const { findings } = await long.audit([]);
    assert.deepEqual(findings.map(({ kind, text }) => [kind, text.match(/\((\w+), /)?.[1]]).toSorted(), [
      ['event-inserted', 'aaaa'],
      ['event-inserted', 'globex'],
    ]);
    await long.client.query("delete from kernel.events where actor = 'eve'");
  }
});

test('what is written and sealed while the audit reads is no fault, also after it came to the end', async () => {
  await using busy = await createTrail();
  await busy.write(0, 4);
  await busy.seal(4, 2);
  let rounds = 0;
  // Writes as a server does at the moment when the audit has found that there are no more events.
  const whileBusy: Database = {
    ...busy.database,
    system: {
      ...busy.database.system,
      async read<T>(use: (query: Query) => Promise<T>): Promise<T> {
        const answer = await busy.database.system.read(use);
        if (Array.isArray(answer) && answer.length < 2 && rounds < 3) {
          rounds += 1;
          await busy.write(4 * rounds, 4);
          await busy.seal(4, 2);
        }
        return answer;
      },
    },
  };
  const { findings, events } = await busy.audit([], whileBusy);
  assert.deepEqual([findings, events, rounds], [[], 16, 3]);
});

test('events that wait for a seal for more than a minute are late, and so are seals that wait for the log', async () => {
  await using slow = await createTrail();
  await slow.write(0, 3);
  const early = await slow.audit([]);
  assert.deepEqual([early.unsealed.count, early.unsealed.isLate], [3, false]);
  await slow.clock.advance(61_000);
  const delayed = await slow.audit([]);
  assert.deepEqual(delayed.unsealed, { count: 3, since: '2026-01-15T09:00:00Z', isLate: true });
  assert.equal(delayed.unlogged.isLate, false);
  await slow.seal(3, 3);
  assert.deepEqual((await slow.audit([])).unlogged, { count: 1, since: '2026-01-15T09:01:01Z', isLate: false });
  await slow.clock.advance(61_000);
  const { findings, unsealed, unlogged } = await slow.audit([]);
  assert.deepEqual([findings, unsealed.count, unlogged.isLate], [[], 0, true]);
  await slow.anchor(log);
  assert.deepEqual((await slow.audit([log])).unlogged, { count: 0, since: null, isLate: false });
});

test('a seal is held against the log that it is in, also after the platform’s domain has changed', async () => {
  await using moved = await createTrail();
  const [former, present] = [memoryLog('former.example/log'), memoryLog('present.example/log')];
  await moved.write(0, 4);
  await moved.seal(4, 2);
  await moved.anchor(former);
  await moved.write(4, 6);
  await moved.seal(6, 2);
  // The former log has the third seal, and the process ended before it recorded that.
  const [third] = await moved.database.system.read((query) => listUnlogged(query, 1));
  await former.append(sealEntry(third ?? assert.fail()));
  await moved.anchor(present);
  const complete = await moved.audit([former, present]);
  assert.deepEqual([complete.findings, complete.logged], [[], 5]);

  const removed = await moved.audit([present]);
  assert.deepEqual(
    removed.findings.map(({ text }) => text),
    [1, 2].map((n) => `Seal ${n} says that it is entry ${n - 1} of the log former.example/log, which it is not.`),
  );
  await moved.client.query("update kernel.event_seals set log_origin = 'present.example/log' where sequence = 2");
  const other = await moved.audit([former, present]);
  assert.deepEqual(other.kinds, ['log']);
});
