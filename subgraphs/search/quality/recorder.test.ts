import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTenant, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { instant, text } from '@landfall/kernel/db/columns';
import type { Database } from '@landfall/kernel/db/database';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import { type Person, people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { qualityModule } from './quality.fixture.ts';
import { createRecorder, MAX_WAITING } from './recorder.ts';

const ACME = toTenantId('acme');

const caller = (person: Person): Who => {
  const caller = people[person];
  assert(hasTenant(caller));
  return caller;
};

const events = table('search.analytics', { kind: text, query: text.nullable(), at: instant });

const recorded = (database: Database, tenant = ACME) =>
  database.read(tenant, (query) =>
    query.list(
      events,
      sql`select kind, query, at from search.analytics where tenant = ${tenant} order by at, event_id`,
    ),
  );

test('events are written in their order, at the time when they happened, each in its tenant', async () => {
  await using base = await testDeps();
  const { deps, clock } = base;
  const recorder = createRecorder(deps);
  const since = clock.now();
  recorder.record(caller('searcher'), { kind: 'query', query: 'one', resultCount: 0, sessionId: undefined });
  recorder.record(caller('searcher'), { kind: 'zero_result', query: 'one' });
  recorder.record(caller('other-searcher'), { kind: 'query', query: 'theirs' });
  await clock.advance(5_000);
  recorder.record(caller('searcher'), { kind: 'query', query: `\0${'x'.repeat(998)}😀` });
  await recorder.flush();
  const rows = await recorded(deps.database);
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['query', 'zero_result', 'query'],
  );
  assert.deepEqual([rows[0]?.at, rows[2]?.at], [since, clock.now()]);
  assert.equal(rows[2]?.query?.length, 999);
  assert.equal((await recorded(deps.database, toTenantId('globex'))).length, 1);
});

test('its companion writes by itself, and the rest when it stops', async () => {
  await using base = await testDeps();
  const { deps } = base;
  const recorder = createRecorder(deps);
  const running = recorder.companion.start();
  recorder.record(caller('searcher'), { kind: 'query', query: 'soon' });
  await until(async () => (await recorded(deps.database)).length !== 0);
  recorder.record(caller('searcher'), { kind: 'query', query: 'at the end' });
  await running[Symbol.asyncDispose]();
  assert.equal((await recorded(deps.database)).length, 2);
});

/** A database that is away until it is let back. */
const interruptible = (database: Database) => {
  const state = { isAway: true, tries: 0 };
  const read: Database['read'] = (tenant, use) => {
    state.tries++;
    if (state.isAway) throw new Fault('SYS_DATABASE_ERROR', 'away');
    return database.read(tenant, use);
  };
  return { state, database: { ...database, read } };
};

test('a database that is away fails no query and loses nothing; what does not fit is dropped', async () => {
  await using base = await testDeps();
  const { deps } = base;
  const { state, database } = interruptible(deps.database);
  const recorder = createRecorder({ ...deps, database });
  recorder.record(caller('searcher'), { kind: 'query', query: 'kept' });
  recorder.remember(caller('searcher'), { query: 'kept', resultCount: 1 });
  await recorder.flush();
  assert.equal(state.tries, 2);
  for (let n = 0; n < MAX_WAITING + 50; n++) recorder.record(caller('searcher'), { kind: 'click', query: String(n) });
  state.isAway = false;
  await recorder.flush();
  const rows = await recorded(deps.database);
  assert.equal(rows.length, MAX_WAITING - 1);
  assert.equal(rows[0]?.query, 'kept');
  recorder.record(caller('searcher'), { kind: 'query', query: 'there is room again' });
  await recorder.flush();
  assert.equal((await recorded(deps.database)).length, MAX_WAITING);
});

test('history that was cleared does not come back, whatever was still to be written, and in whichever process', async () => {
  await using base = await testDeps();
  const { deps, clock } = base;
  const { quality } = qualityModule(deps);
  const other = createRecorder(deps);
  const history = () => quality.history.list(people.searcher, {});
  quality.recorder.remember(caller('searcher'), { query: 'secret', resultCount: 1 });
  other.remember(caller('searcher'), { query: 'secret elsewhere', resultCount: 1 });
  await clock.advance(100);
  assert.deepEqual(await quality.history.clear(people.searcher, {}), { removed: 1 });
  await clock.advance(100);
  await quality.recorder.flush();
  await other.flush();
  assert.deepEqual(await history(), []);
  quality.recorder.remember(caller('searcher'), { query: 'afterwards', resultCount: 1 });
  await quality.recorder.flush();
  const [entry] = await history();
  assert.equal(entry?.query, 'afterwards');

  quality.recorder.remember(caller('searcher'), { query: 'afterwards', resultCount: 2 });
  await quality.history.clear(people.searcher, { historyId: entry?.historyId });
  await quality.recorder.flush();
  assert.deepEqual(await history(), []);
});
