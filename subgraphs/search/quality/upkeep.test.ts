import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTenant, type Who } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count, text } from '@landfall/kernel/db/columns';
import { sql, trusted } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { runIfElapsed } from '../shared/interval.ts';
import { createPopularity } from './popularity.ts';
import { qualityModule } from './quality.fixture.ts';

const DAY_MS = 86_400_000;
/** Time after a fallback answer from which no action counts for it. */
const HALF_HOUR_MS = 1_801_000;
const ACME = toTenantId('acme');

const person = (): Who => {
  const caller = people.searcher;
  assert(hasTenant(caller));
  return caller;
};

const upkeepApp = async () => {
  const base = await testDeps();
  const { quality } = qualityModule(base.deps);
  const shape = table('search counts', { count });
  return {
    ...base,
    quality,
    count: async (name: 'analytics' | 'history' | 'feedback' | 'alerts') =>
      (
        await base.deps.database.read(ACME, (query) =>
          query.get(shape, sql`select count(*) as count from search.${trusted(name)} where tenant = 'acme'`),
        )
      ).count,
  };
};

// spec: 8/retention
test('analytics stand for ninety days, history as long and fifty of each person, feedback for a year', async () => {
  await using app = await upkeepApp();
  const { quality, clock } = app;
  const { recorder, runOnce } = quality;
  const click = { kind: 'click', query: 'q', entityKey: 'x' } as const;
  recorder.record(person(), click);
  await quality.feedback.send(people.searcher, { query: 'q', entityKey: 'x', signal: 'helpful' });
  for (let n = 0; n < 60; n++) recorder.remember(person(), { query: `q${n}`, resultCount: 1 });
  await recorder.flush();
  await runOnce.prune();
  assert.deepEqual([await app.count('analytics'), await app.count('history')], [1, 50]);

  await clock.advance(90 * DAY_MS - 1);
  recorder.record(person(), click);
  await recorder.flush();
  await runOnce.prune();
  assert.deepEqual([await app.count('analytics'), await app.count('history')], [2, 50]);
  await clock.advance(2);
  await runOnce.prune();
  assert.deepEqual([await app.count('analytics'), await app.count('history'), await app.count('feedback')], [1, 0, 1]);
  await clock.advance(300 * DAY_MS);
  await runOnce.prune();
  assert.equal(await app.count('feedback'), 0);
});

test('an alert that was resolved is forgotten in its time, one that was not stays', async () => {
  await using app = await upkeepApp();
  const { quality, clock } = app;
  const events = ['a', 'b'].flatMap((query) =>
    Array.from({ length: 3 }, () => ({ kind: 'answer_frame', outcome: 'fallback', query, sessionId: 's' })),
  );
  await quality.analytics.record(people.searcher, { events });
  await clock.advance(HALF_HOUR_MS);
  await quality.runOnce.monitor();
  const admin = people['search-admin'];
  const raised = await quality.alerts.list(admin, {});
  assert.equal(raised.length, 4);
  for (const { alertId } of raised.slice(0, 3)) await quality.alerts.update(admin, { alertId, status: 'resolved' });
  await clock.advance(91 * DAY_MS);
  await quality.runOnce.prune();
  assert.equal(await app.count('alerts'), 1);
});

test('what is due by seconds runs once in its interval for however many processes look', async () => {
  await using app = await upkeepApp();
  let runs = 0;
  const work = { name: 'search.test', everyMs: 10_000, run: async () => void runs++ };
  const look = () => Promise.all([runIfElapsed(app.deps, work), runIfElapsed(app.deps, work)]);
  await look();
  await look();
  assert.equal(runs, 1);
  await app.clock.advance(10_000);
  await look();
  assert.equal(runs, 2);
});

// spec: 8/popularity
test('popularity is how often each was opened in thirty days, by this tenant, known for a minute', async () => {
  await using app = await upkeepApp();
  const { deps, clock, quality } = app;
  const { recorder, popularity } = quality;
  const click = (entityKey: string) => recorder.record(person(), { kind: 'click', entityKey });
  click('a');
  await recorder.flush();
  await clock.advance(31 * DAY_MS);
  for (const key of ['a', 'b', 'b']) click(key);
  await recorder.flush();
  const popular = async (tenant = ACME) => [...(await popularity(tenant, ['a', 'b', 'c']))];
  assert.deepEqual(await popular(), [
    ['a', 1],
    ['b', 2],
  ]);
  assert.deepEqual(await popular(toTenantId('globex')), []);
  click('c');
  await recorder.flush();
  assert.deepEqual(await popular(), [
    ['a', 1],
    ['b', 2],
  ]);
  await clock.advance(60_001);
  assert.deepEqual(await popular(), [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ]);
  assert.deepEqual([...(await createPopularity(deps)(ACME, []))], []);
});

const types = table('kernel.notices', { type: text });

test('that an alert grows is told without a row of the trail', async () => {
  await using app = await upkeepApp();
  const { quality, deps, clock } = app;
  const publish = () =>
    quality.analytics.record(people.searcher, {
      events: Array.from({ length: 3 }, () => ({ kind: 'answer_frame', outcome: 'fallback', query: 'q' })),
    });
  for (let times = 0; times < 2; times++) {
    await publish();
    await clock.advance(HALF_HOUR_MS);
    await quality.runOnce.monitor();
  }
  const notices = await deps.database.read(ACME, (query) =>
    query.list(types, sql`select type from kernel.notices where tenant = 'acme' and entity = 'SearchAlert'`),
  );
  assert.deepEqual(
    notices.map(({ type }) => type),
    ['searchAlert.grow', 'searchAlert.grow'],
  );
});

test('one look raises no more alerts than a list shows, the newest first, and letters of any alphabet are folded once', async () => {
  await using app = await upkeepApp();
  const { quality } = app;
  const publish = (query: string) =>
    quality.analytics.record(people.searcher, {
      events: Array.from({ length: 3 }, () => ({ kind: 'answer_frame', outcome: 'fallback', query })),
    });
  for (let n = 0; n < 205; n++) await publish(`q${n}`);
  await quality.runOnce.monitor();
  assert.equal(await app.count('alerts'), 200);
  await app.clock.advance(61_000);
  for (const query of ['ÄPFEL', 'äpfel', 'ÄPFEL']) await publish(query);
  for (let look = 0; look < 2; look++) await quality.runOnce.monitor();
  const alerts = await quality.alerts.list(people['search-admin'], {});
  const named = alerts.filter(({ query }) => /pfel/i.test(query)).map(({ query }) => query.toUpperCase());
  assert.deepEqual(new Set(named), new Set(['ÄPFEL']));
  assert.equal(named.length, new Set(alerts.filter(({ query }) => /pfel/i.test(query)).map(({ query }) => query)).size);
});
