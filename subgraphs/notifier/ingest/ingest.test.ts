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
  await assert.rejects(module.ingest(viewer, envelope()), { code: 'PERM_SCOPE_DENIED' });
});

test('events of a tenant are no other tenant’s', async () => {
  await module.ingest(operator, envelope({ eventId: 'mine' }));
  assert.deepEqual((await module.explanation.list(stranger, {})).items, []);
});
