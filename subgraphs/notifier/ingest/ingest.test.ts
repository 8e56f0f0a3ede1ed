import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { notifierApp, operator, stranger, viewer } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const envelope = (changes: Readonly<Record<string, unknown>> = {}) => ({
  producer: 'concelier',
  eventId: 'one',
  kind: 'concelier.advisory.updated',
  tenant: 'acme',
  ts: app.clock.now().toISOString(),
  payload: {},
  ...changes,
});

test('an event is accepted once, however often it is sent', async () => {
  for (let at = 0; at < 3; at++)
    assert.deepEqual(await module.ingest(operator, envelope()), { eventId: 'one', accepted: true });
  const { items } = await module.explanation.list(operator, { kind: 'concelier.advisory.updated' });
  assert.equal(items.length, 1);
});

test('severity and status are read from the attributes, and words that are none count as absent', async () => {
  const attributes = { severity: 'critical', status: 'resolved', environment: 'production' };
  await module.ingest(operator, envelope({ eventId: 'two', kind: 'concelier.two', attributes }));
  await module.ingest(operator, envelope({ eventId: 'three', kind: 'concelier.two', attributes: { severity: 'BAD' } }));
  const { items } = await module.explanation.list(operator, { kind: 'concelier.two' });
  assert.deepEqual(
    items.map(({ severity, status }) => [severity, status]),
    [
      ['info', 'firing'],
      ['critical', 'resolved'],
    ],
  );
});

// spec: 4.8/event-rules, 8/event-clock, rulings/38
test('an unknown producer, a foreign kind, tenant or time is refused with its code', async () => {
  const late = new Date(app.clock.now().getTime() - 300_001).toISOString();
  const refused: readonly [changes: object, code: string][] = [
    [{ producer: 'somebody' }, 'RES_NOT_FOUND'],
    [{ producer: '__proto__' }, 'RES_NOT_FOUND'],
    [{ kind: 'risk.score.changed' }, 'VAL_INVALID_VALUE'],
    [{ kind: 'concelier' }, 'VAL_INVALID_FORMAT'],
    [{ tenant: 'globex' }, 'PERM_TENANT_MISMATCH'],
    [{ ts: late }, 'VAL_INVALID_VALUE'],
    [{ ts: 'yesterday' }, 'VAL_INVALID_FORMAT'],
    [{ payload: [] }, 'VAL_SCHEMA_MISMATCH'],
    [{ attributes: { a: 1 } }, 'VAL_SCHEMA_MISMATCH'],
  ];
  for (const [changes, code] of refused)
    await assert.rejects(
      module.ingest(operator, envelope({ eventId: 'refused', ...changes })),
      { code },
      JSON.stringify(changes),
    );
  await assert.rejects(module.ingest(operator, envelope({ producer: 'somebody' })), {
    message: 'There is no producer somebody: use concelier, attestor, risk, pack.',
  });
  await assert.rejects(module.ingest(viewer, envelope()), { code: 'PERM_SCOPE_DENIED' });
});

test('events of a tenant are no other tenant’s', async () => {
  await module.ingest(operator, envelope({ eventId: 'mine' }));
  assert.deepEqual((await module.explanation.list(stranger, {})).items, []);
});

const alert = (changes: Readonly<Record<string, unknown>> = {}) => ({
  status: 'firing',
  labels: { alertname: 'InstanceDown', instance: 'db-1:9100', path: '/', severity: 'page' },
  annotations: { summary: 'db-1 is down' },
  startsAt: '2020-08-08T14:32:08.326990857Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus.example/graph?g0.expr=up',
  fingerprint: '791cec13fcba0368',
  ...changes,
});

const notification = (...alerts: readonly object[]) => ({
  version: '4',
  groupKey: '{}:{alertname="InstanceDown"}',
  receiver: 'landfall',
  status: 'firing',
  notification_reason: 'new alerts',
  groupLabels: { alertname: 'InstanceDown' },
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager.example',
  truncatedAlerts: 0,
  alerts,
});

test('an alert is accepted once however often Alertmanager repeats it, and its end once more', async () => {
  const ended = alert({ status: 'resolved', endsAt: '2020-08-08T15:00:00Z' });
  const other = alert({
    fingerprint: '8df98227bdd81384',
    labels: { alertname: 'InstanceDown', instance: 'db-2:9100' },
  });
  assert.deepEqual(await module.ingestAlerts(operator, notification(alert())), { accepted: 1, known: 0 });
  assert.deepEqual(await module.ingestAlerts(operator, notification(alert(), other)), { accepted: 1, known: 1 });
  assert.deepEqual(await module.ingestAlerts(operator, notification(ended, other)), { accepted: 1, known: 1 });
  const { items } = await module.explanation.list(operator, { kind: 'alertmanager.alert' });
  assert.deepEqual(
    items.map(({ severity, status, attributes, at }) => [severity, status, attributes.instance, at.toISOString()]),
    [
      ['critical', 'resolved', 'db-1:9100', '2020-08-08T15:00:00.000Z'],
      ['info', 'firing', 'db-2:9100', '2020-08-08T14:32:08.326Z'],
      ['critical', 'firing', 'db-1:9100', '2020-08-08T14:32:08.326Z'],
    ],
  );
});

test('a notification of another version, or with an alert that has no beginning, is refused', async () => {
  await assert.rejects(module.ingestAlerts(operator, { ...notification(), version: '1' }), {
    code: 'VAL_INVALID_VALUE',
  });
  const { startsAt: _, ...endless } = alert();
  await assert.rejects(module.ingestAlerts(operator, notification(endless)), { code: 'VAL_REQUIRED_FIELD' });
  await assert.rejects(module.ingestAlerts(viewer, notification(alert())), { code: 'PERM_SCOPE_DENIED' });
});

// spec: 4.8/pack-approval-ack
test('whoever takes on the approval of a pack is an event, once a person', async () => {
  const answer = { eventId: `pack-7/ack/${operator.subject}`, accepted: true };
  for (let at = 0; at < 2; at++)
    assert.deepEqual(
      await module.acknowledgePack(operator, { packId: 'pack-7', actor: 'Mira', comment: 'I look at it.' }),
      answer,
    );
  const { items } = await module.explanation.list(operator, { kind: 'pack.approval.acknowledged' });
  assert.deepEqual(
    items.map(({ actor, status, attributes }) => [actor, status, attributes]),
    [['Mira', 'acknowledged', { packId: 'pack-7' }]],
  );
});

test('a person who took on a pack takes it on once more when its approval is asked for again', async () => {
  const acknowledge = () => module.acknowledgePack(operator, { packId: 'pack-8' });
  const ask = (eventId: string) =>
    module.ingest(
      operator,
      envelope({ producer: 'pack', kind: 'pack.approval.requested', eventId, attributes: { packId: 'pack-8' } }),
    );
  const answers: string[] = [];
  for (const eventId of ['first', 'second']) {
    await ask(eventId);
    for (let at = 0; at < 2; at++) answers.push((await acknowledge()).eventId);
  }
  const { items } = await module.explanation.list(operator, { kind: 'pack.approval.acknowledged', about: 'pack-8' });
  assert.deepEqual([new Set(answers).size, items.length], [2, 2]);
});
