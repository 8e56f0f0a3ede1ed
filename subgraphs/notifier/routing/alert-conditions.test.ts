import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const alert = (severity: string, status: string) => ({
  status,
  labels: { alertname: 'DiskFull', instance: 'a', severity },
  startsAt: '2026-01-15T08:00:00Z',
  ...(status === 'resolved' && { endsAt: '2026-01-15T08:30:00Z' }),
});

const receive = async (...alerts: readonly ReturnType<typeof alert>[]): Promise<void> => {
  await module.ingestAlerts(operator, { version: '4', groupKey: '{}', alerts });
  while ((await module.route()) > 0);
  await app.send();
};

test('the end of an alert of one severity leaves its twin of another severity firing', async () => {
  await using sink = await startSink(() => ({ status: 202 }));
  const { channel } = await module.channels.create(admin, {
    name: 'pager',
    pagerduty: { config: { eventsUrl: sink.url }, credential: { routingKey: 'R' } },
  });
  await module.rules.create(admin, {
    name: 'alerts',
    priority: 1,
    matchers: [{ path: 'kind', op: 'eq', values: ['alertmanager.alert'] }],
    actions: [{ channelId: channel.id, templateKey: 'generic' }],
  });
  await receive(alert('warning', 'firing'), alert('critical', 'firing'));
  await receive(alert('critical', 'resolved'));
  const sent = sink.received.map(({ body }) => JSON.parse(body));
  const [warning, critical] = ['warning', 'critical'].map(
    (severity) => sent.find(({ payload }) => payload?.severity === severity)?.dedup_key,
  );
  assert.notEqual(warning, critical);
  assert.equal(sent.find(({ event_action: action }) => action === 'resolve')?.dedup_key, critical);
});

test('PagerDuty gets no trigger that is retried after the end of its condition, and the reason is on record', async () => {
  let status = 503;
  await using sink = await startSink(() => ({ status }));
  const { channel } = await module.channels.create(admin, {
    name: 'late pager',
    pagerduty: { config: { eventsUrl: sink.url }, credential: { routingKey: 'R' } },
  });
  await module.rules.create(admin, {
    name: 'late alerts',
    priority: 2,
    matchers: [{ path: 'attributes.alertname', op: 'eq', values: ['Late'] }],
    actions: [{ channelId: channel.id, templateKey: 'generic' }],
  });
  const late = (state: string, startsAt: string) => ({
    ...alert('critical', state),
    labels: { alertname: 'Late', instance: 'a', severity: 'critical' },
    startsAt,
  });
  await receive(late('firing', '2026-01-15T08:00:00Z'));
  status = 202;
  await receive(late('resolved', '2026-01-15T08:00:00Z'));
  await app.clock.advance(60_000);
  await app.send();
  const actions = () => sink.received.map(({ body }) => JSON.parse(body).event_action);
  assert.deepEqual(actions(), ['trigger', 'resolve']);
  const { items } = await module.deliveries.list(operator, { channelId: channel.id });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['delivered', 'cancelled'],
  );
  const { suppressions } = await module.explanation.explain(operator, { id: items[1]?.eventId });
  assert.deepEqual(
    suppressions.filter(({ channelId }) => channelId === channel.id).map(({ policy }) => policy),
    ['superseded'],
  );
  await receive(late('firing', '2026-01-15T09:00:00Z'));
  assert.deepEqual(actions(), ['trigger', 'resolve', 'trigger'], 'it may fire again');
});
