import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, hasTenant, type Who } from '@landfall/kernel/core/caller';
import { count, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import type { Person } from '@landfall/kernel/testing/callers';
import { qualityModule } from '@landfall/search/quality/quality.fixture';
import { searchQualityRoutes } from './search-quality.ts';

const BASE = '/v1/advisory-ai/search';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const qualityApp = async () => {
  const app = await testApp({ createModule: qualityModule, routes: searchQualityRoutes });
  return Object.assign(app, {
    /** Tells events through the door, all at once. */
    async tell(events: readonly object[], as: Person = 'searcher') {
      const { status, text: body } = await app.rest('POST', `${BASE}/analytics`, { as, body: { events } });
      assert.deepEqual([status, body], [204, '']);
    },
    async metrics(period?: string) {
      const path = `${BASE}/quality/metrics${period === undefined ? '' : `?period=${period}`}`;
      return (await app.rest('GET', path, { as: 'search-admin' })).body;
    },
    async alerts(query = '') {
      return (await app.rest('GET', `${BASE}/quality/alerts${query}`, { as: 'search-admin' })).body.items;
    },
    monitor: () => app.module.quality.runOnce.monitor(),
  });
};

const caller = (caller: Caller): Who => {
  assert(hasTenant(caller));
  return caller;
};

const fallback = (query: string, sessionId?: string) => ({
  kind: 'answer_frame',
  outcome: 'fallback',
  query,
  ...(sessionId !== undefined && { sessionId }),
});

// spec: 2.8/quality-metrics, 2.8/quality-periods, 4.7/quality-metrics, 4.7/analytics, 2.8/analytics-kinds
test('the metrics are what was told, counted by hand', async () => {
  await using app = await qualityApp();
  await app.tell([
    { kind: 'query', query: 'log4j', resultCount: 3, sessionId: 's1' },
    { kind: 'query', query: 'spring4shell', resultCount: 0 },
    { kind: 'zero_result', query: 'spring4shell' },
    { kind: 'click', query: ' LOG4J', entityKey: 'vulnerability:CVE-2021-44228', position: 1 },
    { kind: 'click', query: 'log4j', entityKey: 'vulnerability:CVE-2021-45046', position: 2 },
  ]);
  await app.clock.advance(MINUTE_MS);
  await app.tell([
    { kind: 'query', query: 'left-pad' },
    { kind: 'click', entityKey: 'package:left-pad' },
    { kind: 'click', query: 'never asked', entityKey: 'package:x' },
    { kind: 'synthesis', query: 'left-pad' },
  ]);
  await app.tell([{ kind: 'query', query: 'log4j' }], 'search-admin');
  await app.tell([
    { kind: 'answer_frame', outcome: 'grounded', query: 'log4j' },
    { kind: 'answer_frame', outcome: 'grounded', query: 'left-pad' },
    { kind: 'answer_frame', outcome: 'clarify', query: 'it' },
    { kind: 'answer_frame', outcome: 'insufficient', query: 'why' },
    fallback('nobody took this'),
    fallback('clicked'),
    { kind: 'click', query: 'clicked', entityKey: 'document:1' },
    fallback('in other words'),
    { kind: 'reformulation', query: 'the same in better words' },
    fallback('rescued', 's1'),
    { kind: 'rescue_action', query: 'rescued', sessionId: 's1' },
  ]);
  // The reformulation followed the first fallback as well: only an event half an hour later follows none.
  await app.clock.advance(MINUTE_MS);
  await app.tell([fallback('abandoned')]);
  await app.clock.advance(31 * MINUTE_MS);
  await app.tell([{ kind: 'click', query: 'abandoned', entityKey: 'document:2' }]);

  const to = app.clock.now();
  const metrics = await app.metrics('24h');
  const expected = {
    period: '24h',
    from: new Date(to.getTime() - DAY_MS).toISOString(),
    to: to.toISOString(),
    queryCount: 4,
    zeroResultRate: 1 / 4,
    clickThroughRate: 2 / 4,
    fallbackAnswerRate: 5 / 9,
    clarifyRate: 1 / 9,
    insufficientRate: 1 / 9,
    reformulationCount: 1,
    rescueActionCount: 1,
    abandonedFallbackCount: 1,
  };
  assert.equal(JSON.stringify(metrics), JSON.stringify(expected));
  assert.deepEqual(app.bugs, []);
});

test('a period begins where it says, and of nothing every rate is 0', async () => {
  await using app = await qualityApp();
  await app.tell([{ kind: 'query', query: 'old' }]);
  await app.clock.advance(8 * DAY_MS);
  await app.tell([{ kind: 'zero_result', query: 'told without its query' }]);
  const [day, week, month, defaultPeriod] = [
    await app.metrics('24h'),
    await app.metrics('7d'),
    await app.metrics('30d'),
    await app.metrics(),
  ];
  assert.deepEqual([day.queryCount, day.zeroResultRate, day.clickThroughRate, day.fallbackAnswerRate], [0, 0, 0, 0]);
  assert.deepEqual([week.queryCount, month.queryCount, month.zeroResultRate], [0, 1, 1]);
  assert.deepEqual(defaultPeriod, week);
});

test('other tenants’ events are not counted', async () => {
  await using app = await qualityApp();
  await app.tell([{ kind: 'query', query: 'theirs' }], 'other-searcher');
  assert.equal((await app.metrics()).queryCount, 0);
});

const QUALITY = `query ($period: String) { searchQuality(period: $period) {
  period queryCount zeroResultRate helpfulCount notHelpfulCount
  series { at queryCount zeroResultCount clickCount } zeroResultQueries { query count } } }`;

test('the graph has the same figures, by day or hour, and what found nothing', async () => {
  await using app = await qualityApp();
  await app.tell([
    { kind: 'zero_result', query: 'Nope' },
    { kind: 'query', query: 'nope' },
    { kind: 'click', query: 'nope', entityKey: 'x' },
  ]);
  await app.clock.advance(2 * DAY_MS);
  await app.tell([
    { kind: 'query', query: 'nope ' },
    { kind: 'zero_result', query: 'nope ' },
    { kind: 'zero_result', query: 'nada' },
  ]);
  const feedback = { query: 'nope', entityKey: 'x', signal: 'not_helpful', comment: 'no' };
  await app.rest('POST', `${BASE}/feedback`, { as: 'search-reader', body: feedback });

  const { data, errors } = await app.graph(QUALITY, {}, { as: 'search-admin' });
  assert.equal(errors, undefined);
  const quality = Object(data).searchQuality;
  assert.deepEqual([quality.period, quality.queryCount, quality.zeroResultRate], ['7d', 2, 1]);
  assert.deepEqual([quality.helpfulCount, quality.notHelpfulCount], [0, 1]);
  assert.deepEqual(
    quality.zeroResultQueries.map((row: object) => ({ ...row })),
    [
      { query: 'nope', count: 2 },
      { query: 'nada', count: 1 },
    ],
  );
  const busy = quality.series.filter((point: { queryCount: number }) => point.queryCount > 0);
  assert.equal(quality.series.length, 8);
  assert.deepEqual(
    busy.map(({ queryCount, zeroResultCount, clickCount }: Record<string, number>) => [
      queryCount,
      zeroResultCount,
      clickCount,
    ]),
    [
      [1, 1, 1],
      [1, 2, 0],
    ],
  );
  const hours = Object((await app.graph(QUALITY, { period: '24h' }, { as: 'search-admin' })).data).searchQuality.series;
  assert.match(hours[0].at, /T\d\d:00:00\.000Z$/);
  assert.equal(hours.at(-1).queryCount, 1);
});

const refused = async (app: Awaited<ReturnType<typeof qualityApp>>, method: string, path: string, ask: object) => {
  const { status, text: body } = await app.rest(method, BASE + path, { as: 'search-admin', ...ask });
  return [status, body];
};

// spec: 8/analytics-batch
const notOneOf = (field: string, ...words: readonly string[]): string =>
  `VAL_INVALID_VALUE: ${field} must be one of ${words.join(', ')}`;

test('a client’s own word of a query that was asked here counts it no second time', async () => {
  await using app = await qualityApp();
  const searcher = caller(app.caller('searcher'));
  const { recorder } = app.module.quality;
  for (const query of ['log4j', 'xyzzyplugh']) recorder.record(searcher, { kind: 'query', query, mode: 'fts-only' });
  recorder.record(searcher, { kind: 'zero_result', query: 'xyzzyplugh', mode: 'fts-only' });
  await app.tell([
    { kind: 'query', query: 'log4j' },
    { kind: 'query', query: ' xyzzyplugh' },
    { kind: 'zero_result', query: 'xyzzyplugh' },
    { kind: 'query', query: 'log4j', mode: 'fts-only' },
  ]);
  const { queryCount, zeroResultRate } = await app.metrics();
  assert.deepEqual([queryCount, zeroResultRate], [2, 1 / 2]);
  await app.tell([{ kind: 'query', query: 'log4j', mode: 'legacy-fallback' }]);
  await app.tell([{ kind: 'query', query: 'log4j' }], 'search-admin');
  await app.tell([{ kind: 'query', query: 'another' }]);
  assert.equal((await app.metrics()).queryCount, 5);
});

test('words of fixed sets are read whatever their capitals', async () => {
  await using app = await qualityApp();
  const paths = ['metrics?period=7D', 'alerts?status=OPEN', 'alerts?alertType=Fallback_Loop'];
  for (const path of paths) {
    const { status, text: body } = await app.rest('GET', `${BASE}/quality/${path}`, { as: 'search-admin' });
    assert.equal(status, 200, `${path}: ${body}`);
  }
  const body = { query: 'q', entityKey: 'x', signal: 'HELPFUL' };
  assert.equal((await app.rest('POST', `${BASE}/feedback`, { as: 'search-reader', body })).status, 201);
  await app.tell([{ kind: 'Click', entityKey: 'x', domain: 'FINDINGS' }]);
});

test('what does not fit is refused in one word', async () => {
  await using app = await qualityApp();
  const click = { kind: 'click', entityKey: 'x' };
  const many = (length: number) => ({ body: { events: Array.from({ length }, () => click) } });
  const error = (status: number, code: string) => [status, JSON.stringify({ error: code })];
  assert.deepEqual(await refused(app, 'POST', '/analytics', many(100)), [204, '']);
  assert.deepEqual(
    await refused(app, 'POST', '/analytics', many(101)),
    error(400, 'advisoryai.validation.batch_too_large'),
  );
  assert.deepEqual(
    await refused(app, 'POST', '/analytics', { body: { events: [click, { kind: 'purchase' }] } }),
    error(
      400,
      notOneOf(
        'events.1.kind',
        'query',
        'click',
        'zero_result',
        'synthesis',
        'answer_frame',
        'reformulation',
        'rescue_action',
      ),
    ),
  );
  assert.deepEqual(
    await refused(app, 'POST', '/analytics', { body: {} }),
    error(400, 'VAL_REQUIRED_FIELD: events is required'),
  );
  const unknown = { body: { events: [{ ...click, eventId: 'x', subject: 'somebody', colour: { a: 1 } }] } };
  assert.deepEqual(await refused(app, 'POST', '/analytics', unknown), [204, '']);
  assert.deepEqual(
    await refused(app, 'GET', '/quality/metrics?period=1y', {}),
    error(400, 'advisoryai.validation.period_invalid'),
  );
  assert.deepEqual(
    await refused(app, 'GET', '/quality/alerts?status=closed', {}),
    error(400, notOneOf('status', 'open', 'acknowledged', 'resolved')),
  );
  assert.deepEqual(
    await refused(app, 'GET', '/quality/alerts?alertType=fire', {}),
    error(400, notOneOf('alertType', 'fallback_loop', 'abandoned_fallback')),
  );
  assert.deepEqual(await refused(app, 'DELETE', '/history/12', {}), error(400, 'advisoryai.validation.id_invalid'));
  assert.deepEqual(
    await refused(app, 'DELETE', '/history/01900000-0000-7000-8000-000000000000', {}),
    error(404, 'advisoryai.not_found'),
  );
  assert.deepEqual(
    await refused(app, 'PATCH', '/quality/alerts/12', { body: { status: 'resolved' } }),
    error(400, 'advisoryai.validation.id_invalid'),
  );
  assert.deepEqual(
    await refused(app, 'PATCH', '/quality/alerts/01900000-0000-7000-8000-000000000000', { body: { status: 'open' } }),
    error(400, notOneOf('status', 'acknowledged', 'resolved')),
  );
  assert.deepEqual(
    await refused(app, 'GET', '/quality/metrics', { as: 'searcher' }),
    error(403, 'Missing required scope: advisory-ai:admin'),
  );
  assert.deepEqual(
    await refused(app, 'POST', '/feedback', { body: { query: ' ', entityKey: 'x', signal: 'helpful' } }),
    error(400, 'advisoryai.validation.query_required'),
  );
  assert.deepEqual(
    await refused(app, 'POST', '/feedback', { body: { query: 'q', entityKey: 'x', signal: 'maybe' } }),
    error(400, notOneOf('signal', 'helpful', 'not_helpful')),
  );
  assert.deepEqual(app.bugs, []);
});

// spec: 4.7/history, 4.7/history-clear, 4.7/history-delete, 8/history
test('history is one’s own, the newest first, fifty at most, and can be removed', async () => {
  await using app = await qualityApp();
  const { recorder } = app.module.quality;
  const searcher = caller(app.caller('searcher'));
  for (let n = 1; n <= 60; n++) {
    recorder.remember(searcher, { query: `query ${n}`, resultCount: n });
    await app.clock.advance(1_000);
  }
  recorder.remember(searcher, { query: ' query 30 ', resultCount: 99 });
  recorder.remember(caller(app.caller('search-admin')), { query: 'an admin’s', resultCount: 0 });
  await recorder.flush();

  const own = (await app.rest('GET', `${BASE}/history`, { as: 'searcher' })).body.items;
  assert.equal(own.length, 50);
  assert.deepEqual([own[0].query, own[0].resultCount, own[1].query], ['query 30', 99, 'query 60']);
  assert.deepEqual(Object.keys(own[0]), ['historyId', 'query', 'resultCount', 'at']);
  const other = await app.rest('DELETE', `${BASE}/history/${own[0].historyId}`, { as: 'search-admin' });
  assert.equal(other.status, 404);
  assert.equal((await app.rest('DELETE', `${BASE}/history/${own[0].historyId}`, { as: 'searcher' })).status, 204);
  assert.equal((await app.rest('GET', `${BASE}/history`, { as: 'searcher' })).body.items[0].query, 'query 60');
  const reader = await app.rest('DELETE', `${BASE}/history`, { as: 'search-reader' });
  assert.equal(reader.text, '{"error":"Missing required scope: advisory-ai:operate"}');
  assert.equal((await app.rest('DELETE', `${BASE}/history`, { as: 'searcher' })).status, 204);
  assert.equal((await app.rest('GET', `${BASE}/history`, { as: 'searcher' })).text, '{"items":[]}');
  assert.equal((await app.rest('GET', `${BASE}/history`, { as: 'search-admin' })).body.items.length, 1);
});

// spec: 2.8/feedback-signals, 4.7/feedback
test('feedback is kept with who gave it', async () => {
  await using app = await qualityApp();
  const body = { query: 'log4j', entityKey: 'vulnerability:CVE-2021-44228', signal: 'helpful' };
  const { status, body: answer } = await app.rest('POST', `${BASE}/feedback`, { as: 'search-reader', body });
  assert.deepEqual([status, Object.keys(answer)], [201, ['feedbackId']]);
  const shape = table('search.feedback', { subject: text, signal: text });
  const rows = await app.rows(shape, sql`select subject, signal from search.feedback where tenant = 'acme'`);
  assert.deepEqual(rows, [{ subject: app.caller('search-reader').subject, signal: 'helpful' }]);
});

// spec: 2.8/alert-types, 4.7/quality-alerts
test('the same question, thrice a fallback in one visit, is a loop; it grows, and it ends by itself', async () => {
  await using app = await qualityApp();
  const loops = () => app.alerts('?alertType=fallback_loop');
  const first = app.clock.now();
  await app.tell([fallback('Rotate keys', 's1'), fallback('rotate keys', 's1'), fallback('rotate keys', 's2')]);
  await app.monitor();
  assert.deepEqual(await loops(), []);

  await app.clock.advance(MINUTE_MS);
  await app.tell([fallback('rotate keys ', 's1'), fallback('other', 's1')]);
  await app.monitor();
  const [raised, ...none] = await loops();
  assert.deepEqual(none, []);
  assert.deepEqual(raised, {
    alertId: raised.alertId,
    alertType: 'fallback_loop',
    status: 'open',
    query: 'rotate keys',
    occurrences: 3,
    firstSeenAt: first.toISOString(),
    lastSeenAt: app.clock.now().toISOString(),
    resolution: null,
  });

  await app.tell([fallback('rotate keys', 's1')]);
  await app.monitor();
  assert.deepEqual(
    (await loops()).map(({ alertId, occurrences }: typeof raised) => [alertId, occurrences]),
    [[raised.alertId, 4]],
  );
  await app.clock.advance(59 * MINUTE_MS);
  await app.monitor();
  assert.equal((await loops())[0].status, 'open');
  await app.clock.advance(2 * MINUTE_MS);
  await app.monitor();
  assert.deepEqual(await loops(), []);
  const [fallbackLoop] = await app.alerts('?status=resolved&alertType=fallback_loop');
  assert.deepEqual(
    [fallbackLoop.alertId, fallbackLoop.status, fallbackLoop.resolution],
    [raised.alertId, 'resolved', 'Nobody ran into it for an hour.'],
  );
});

test('fallback answers that three left without a word are an alert, once there was time to take something, and for a day', async () => {
  await using app = await qualityApp();
  const abandoned = () => app.alerts('?alertType=abandoned_fallback');
  await app.tell([fallback('kev', 'a'), fallback('kev', 'b'), fallback('kev', 'c')]);
  await app.tell([{ kind: 'click', query: 'kev', sessionId: 'a', entityKey: 'x' }]);
  await app.monitor();
  assert.deepEqual(await abandoned(), []);
  await app.tell([fallback('kev', 'd')]);
  await app.monitor();
  assert.deepEqual(await abandoned(), [], 'who got it a moment ago may still take something from it');
  await app.clock.advance(31 * MINUTE_MS);
  await app.monitor();
  const [raised] = await abandoned();
  assert.deepEqual([raised.query, raised.occurrences, raised.status], ['kev', 3, 'open']);

  // An event more than half an hour later belongs to no earlier query.
  await app.tell([{ kind: 'rescue_action', query: 'kev', sessionId: 'd' }]);
  await app.clock.advance(61 * MINUTE_MS);
  await app.monitor();
  assert.equal((await abandoned()).length, 1);
  await app.clock.advance(DAY_MS);
  await app.monitor();
  assert.deepEqual(await abandoned(), []);
});

const EVENTS = table('kernel.events', { type: text, version: count });

const alertEvents = (app: Awaited<ReturnType<typeof qualityApp>>, alertId: string) =>
  app.rows(
    EVENTS,
    sql`select type, version::int8 as version from kernel.events where entity = 'SearchAlert' and entity_id = ${alertId}
      order by xid, id`,
  );

// spec: 4.7/quality-alert
test('an alert is acknowledged and resolved, each told once, and what was settled is not raised again', async () => {
  await using app = await qualityApp();
  await app.tell([fallback('q', 's'), fallback('q', 's'), fallback('q', 's')]);
  await app.monitor();
  const [{ alertId }] = await app.alerts('?alertType=fallback_loop');
  const patch = (body: object, as: Person = 'search-admin') =>
    app.rest('PATCH', `${BASE}/quality/alerts/${alertId}`, { as, body });

  assert.equal((await patch({ status: 'resolved' }, 'other-searcher')).text, '{"error":"advisoryai.not_found"}');
  assert.equal((await patch({ status: 'acknowledged' })).body.status, 'acknowledged');
  assert.equal((await app.alerts('?alertType=fallback_loop'))[0].status, 'acknowledged');
  await app.clock.advance(MINUTE_MS);
  const resolved = await patch({ status: 'resolved', resolution: 'A page was written.' });
  assert.deepEqual([resolved.body.status, resolved.body.resolution], ['resolved', 'A page was written.']);
  const repeated = await patch({ status: 'acknowledged' });
  assert.deepEqual([repeated.status, repeated.text], [409, '{"error":"RES_CONFLICT"}']);

  await app.monitor();
  assert.deepEqual(await app.alerts('?alertType=fallback_loop'), []);
  assert.deepEqual(await alertEvents(app, alertId), [
    { type: 'searchAlert.raise', version: 1 },
    { type: 'searchAlert.acknowledge', version: 2 },
    { type: 'searchAlert.resolve', version: 3 },
  ]);
  await app.clock.advance(MINUTE_MS);
  await app.tell([fallback('q', 's'), fallback('q', 's'), fallback('q', 's')]);
  await app.monitor();
  const [second] = await app.alerts('?alertType=fallback_loop');
  assert.deepEqual([second.occurrences, second.alertId === alertId], [3, false]);
});

const ALERTS = `query { searchAlerts(status: OPEN, alertType: FALLBACK_LOOP) { alertId alertType status occurrences } }`;
const UPDATE = `mutation ($input: UpdateSearchAlertInput!) { updateSearchAlert(input: $input) { status resolution } }`;
const RECORD = `mutation ($input: RecordSearchEventsInput!) { recordSearchEvents(input: $input) { accepted } }`;
const CLEAR = `mutation ($input: ClearSearchHistoryInput!) { clearSearchHistory(input: $input) { removed } }`;
const FEEDBACK = `mutation ($input: SendSearchFeedbackInput!) { sendSearchFeedback(input: $input) { feedbackId } }`;

test('the graph tells, lists and changes the same', async () => {
  await using app = await qualityApp();
  const as = { as: 'search-admin' } as const;
  const event = { kind: 'ANSWER_FRAME', outcome: 'fallback', query: 'q', sessionId: 's', domain: 'FINDINGS' };
  const recorded = await app.graph(RECORD, { input: { events: [event, event, event] } }, as);
  assert.equal(Object(recorded.data).recordSearchEvents.accepted, 3);
  await app.monitor();
  const [alert] = Object((await app.graph(ALERTS, {}, as)).data).searchAlerts;
  assert.deepEqual([alert.alertType, alert.status, alert.occurrences], ['FALLBACK_LOOP', 'OPEN', 3]);
  const input = { alertId: alert.alertId, status: 'RESOLVED', resolution: 'Done.' };
  const { data } = await app.graph(UPDATE, { input }, as);
  assert.deepEqual({ ...Object(data).updateSearchAlert }, { status: 'RESOLVED', resolution: 'Done.' });

  const { recorder } = app.module.quality;
  recorder.remember(caller(app.caller('search-admin')), { query: 'q', resultCount: 1 });
  await recorder.flush();
  const history = await app.graph('{ searchHistory { historyId query resultCount } }', {}, as);
  assert.equal(Object(history.data).searchHistory[0].query, 'q');
  assert.equal(Object((await app.graph(CLEAR, { input: {} }, as)).data).clearSearchHistory.removed, 1);
  const feedback = { query: 'q', entityKey: 'x', signal: 'NOT_HELPFUL' };
  assert.match(
    Object((await app.graph(FEEDBACK, { input: feedback }, as)).data).sendSearchFeedback.feedbackId,
    /^[0-9a-f-]{36}$/,
  );
  const none = await app.graph(UPDATE, { input: { ...input, alertId: 'x' } }, as);
  assert.equal(none.errors?.[0]?.extensions?.code, 'advisoryai.validation.id_invalid');
  assert.deepEqual(app.bugs, []);
});
