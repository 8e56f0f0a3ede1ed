import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { createNotifier } from '@landfall/notifier';
import { createDirectories } from '@landfall/notifier/testing/directories';
import { startSink } from '@landfall/notifier/testing/sink';
import { notifierRoutes } from './notifier.ts';

const { 'notify-admin': admin, 'notify-operator': operator } = people;

const app = await testApp({
  createModule: (deps) =>
    createNotifier(deps, { ...createDirectories(), baseUrl: 'https://landfall.example', random: () => 0.5 }),
  routes: notifierRoutes,
});
after(() => app[Symbol.asyncDispose]());
const { module, clock } = app;

const NOTIFY = '/api/v2/notify';

/** Routes and sends what was accepted. */
const work = async (): Promise<void> => {
  await module.route();
  const { signal } = new AbortController();
  for (;;) {
    const begun = await module.dispatch.begin(signal);
    if (begun.length === 0) return;
    await Promise.all(begun);
  }
};

let events = 0;

/** Sends an event of the producer risk through a route. */
const ingest = (path = '/api/v1/events/risk', changes: Readonly<Record<string, unknown>> = {}) => {
  events += 1;
  const body = {
    eventId: `e${events}`,
    kind: 'risk.score.changed',
    tenant: 'acme',
    ts: clock.now().toISOString(),
    payload: {},
  };
  return app.rest('POST', path, { as: 'notify-operator', body: { ...body, ...changes } });
};

let status = 404;
const sink = await startSink(() => ({ status }));
after(() => sink[Symbol.asyncDispose]());
const { channel } = await module.channels.create(admin, { name: 'hook', webhook: { config: { url: sink.url } } });
await module.rules.create(admin, {
  name: 'all',
  priority: 1,
  matchers: [],
  actions: [{ channelId: channel.id, templateKey: 'generic' }],
});

// spec: 4.8/events, 4.8/attestation-events, 4.8/risk-events, 4.8/pack-approvals, 6/producers
test('each ingest route accepts its producer’s events with 202, a repetition too', async () => {
  const routes: readonly [path: string, kind: string][] = [
    ['/api/v1/events/concelier', 'concelier.advisory.updated'],
    ['/api/v1/events/attestor', 'attestor.statement.signed'],
    ['/api/v1/events/risk', 'risk.score.changed'],
    ['/api/v1/notify/attestation-events', 'attestation.verified'],
    ['/api/v1/notify/risk-events', 'risk.score.changed'],
    ['/api/v1/notify/pack-approvals', 'pack.approval.requested'],
  ];
  for (const [path, kind] of routes)
    for (let time = 0; time < 2; time++) {
      const answer = await ingest(path, { kind, eventId: path });
      assert.deepEqual([answer.status, answer.body], [202, { eventId: path, accepted: true }], path);
    }
  const { items } = await module.explanation.list(operator, {});
  assert.equal(items.length, routes.length);
});

// spec: 4.8/deliveries, 4.8/delivery-stats, 2.9/delivery-list, 3/delivery-states, rulings/35
test('a delivery list has items, count and continuationToken, and the specified words of the states', async () => {
  await work();
  const first = await app.rest('GET', `${NOTIFY}/deliveries?limit=2`, { as: 'notify-operator' });
  assert.equal(first.status, 200);
  assert.deepEqual(Object.keys(first.body), ['items', 'count', 'continuationToken']);
  assert.equal(first.body.count, 2);
  assert.equal(first.body.items[0].status, 'dead-lettered');
  const next = await app.rest(
    'GET',
    `${NOTIFY}/deliveries?limit=200&continuationToken=${first.body.continuationToken}`,
    { as: 'notify-operator' },
  );
  assert.equal(next.body.continuationToken, null);
  status = 200;
  await ingest();
  await clock.advance(60_000);
  await work();
  const { body } = await app.rest('GET', `${NOTIFY}/deliveries?status=DELIVERED`, { as: 'notify-operator' });
  assert.equal(body.items[0].status, 'Delivered');
  const stats = await app.rest('GET', `${NOTIFY}/deliveries/stats`, { as: 'notify-operator' });
  assert.equal(stats.body.counts.Delivered, body.count);
});

// spec: 4.8/delivery-retry, 2.9/retry-request, 3/delivery-retry, 7.3/delivery-already-completed, rulings/23
test('a retry sends what did not land again, and refuses what landed with its code', async () => {
  const lost = await app.rest('GET', `${NOTIFY}/deliveries?status=dead-lettered`, { as: 'notify-operator' });
  const [item] = lost.body.items;
  const retried = await app.rest('POST', `${NOTIFY}/deliveries/${item.deliveryId}/retry`, {
    as: 'notify-operator',
    body: { reason: 'The receiver was mended.' },
  });
  assert.deepEqual([retried.status, retried.body.status], [200, 'pending']);
  await work();
  const again = await app.rest('POST', `${NOTIFY}/deliveries/${item.deliveryId}/retry`, { as: 'notify-operator' });
  assert.deepEqual([again.status, again.body.error.code], [409, 'delivery_already_completed']);
});

// spec: 4.8/dead-letters, 4.8/dead-letter, 4.8/dead-letter-stats, 4.8/dead-letter-retry
test('dead letters are listed, counted, read and sent again', async () => {
  const { body: open } = await app.rest('GET', `${NOTIFY}/dead-letter?status=open`, { as: 'notify-operator' });
  const [entry] = open.items;
  const one = await app.rest('GET', `${NOTIFY}/dead-letter/${entry.entryId}`, { as: 'notify-operator' });
  assert.deepEqual(one.body, entry);
  const stats = await app.rest('GET', `${NOTIFY}/dead-letter/stats`, { as: 'notify-operator' });
  assert.equal(stats.body.open, open.count);
  const retried = await app.rest('POST', `${NOTIFY}/dead-letter/retry`, { as: 'notify-operator', body: { limit: 1 } });
  assert.deepEqual(retried.body, { retried: 1, remaining: open.count - 1 });
});

// spec: 4.8/secret-rotate, 4.8/secret-read, 2.9/rotation-response, 6/secret-rotation
test('rotation shows the new secret once, and reading shows its last four characters', async () => {
  const path = `${NOTIFY}/security/webhook/${channel.id}`;
  const { body, headers } = await app.rest('POST', `${path}/rotate`, { as: 'notify-admin' });
  assert.match(body.secret, /^whsec_/);
  assert.equal(Date.parse(body.oldSecretExpiresAt) - Date.parse(body.activeAt), 24 * 3_600_000);
  assert.equal(headers.get('cache-control'), 'no-store');
  const read = await app.rest('GET', `${path}/secret`, { as: 'notify-admin' });
  assert.equal(read.body.secrets[0].secret, `whsec_****${body.secret.slice(-4)}`);
  assert.equal(JSON.stringify(read.body).includes(body.secret), false);
});

// spec: 8/delivery-list
test('a list has fifty deliveries unless a limit is given', async () => {
  for (let sent = 0; sent < 50; sent++) await ingest();
  await module.route();
  const { body } = await app.rest('GET', `${NOTIFY}/deliveries`, { as: 'notify-operator' });
  assert.deepEqual([body.count, typeof body.continuationToken], [50, 'string']);
});

// spec: 4.8/v1-deprecated, 9/v1-sunset, rulings/4
test('the twins of version 1 answer the same with their sunset; ingest routes have none', async () => {
  const twin = await app.rest('GET', '/api/v1/notify/deliveries/stats', { as: 'notify-operator' });
  const current = await app.rest('GET', `${NOTIFY}/deliveries/stats`, { as: 'notify-operator' });
  assert.deepEqual(twin.body, current.body);
  assert.deepEqual(
    [twin.headers.get('deprecation'), twin.headers.get('sunset')],
    ['true', 'Tue, 31 Mar 2026 00:00:00 GMT'],
  );
  assert.equal((await ingest('/api/v1/notify/risk-events')).headers.get('sunset'), null);
});
