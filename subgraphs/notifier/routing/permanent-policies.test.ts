import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const { channel } = await app.webhook('https://hooks.example/landfall');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const kindIs = (kind: string) => [{ path: 'kind', op: 'eq', values: [kind] }];

const rule = (kind: string, action: Readonly<Record<string, unknown>> = {}) =>
  module.rules.create(admin, {
    name: kind,
    priority: 10,
    matchers: kindIs(kind),
    actions: [{ channelId: channel.id, templateKey: 'generic', ...action }],
  });

const routeAll = async (): Promise<void> => {
  while ((await module.route()) > 0);
};

const pass = async (ms: number): Promise<void> => {
  await app.clock.advance(ms);
  await routeAll();
};

const newest = async (kind: string) => {
  const [event] = (await module.explanation.list(operator, { kind })).items;
  return module.explanation.explain(operator, { id: event?.id });
};

/** Accepts and routes an event. @returns its explanation */
const happen = async (kind: string, attributes: Readonly<Record<string, string>> = {}) => {
  await app.accept({ kind, attributes: { status: 'firing', ...attributes } });
  await routeAll();
  return newest(kind);
};

test('an inhibition keeps its targets quiet until its source is resolved, where the equal paths agree', async () => {
  await rule('risk.host');
  const policy = await module.policies.createInhibition(admin, {
    name: 'site is down',
    sourceMatchers: kindIs('risk.site'),
    targetMatchers: kindIs('risk.host'),
    equal: ['attributes.site'],
  });
  await happen('risk.site', { site: 'a' });
  const { suppressions, deliveries } = await happen('risk.host', { site: 'a', host: '1' });
  assert.deepEqual(
    [suppressions[0]?.policy, suppressions[0]?.policyId, deliveries.length],
    ['inhibition', policy.id, 0],
  );
  assert.match(suppressions[0]?.reason ?? '', /^Inhibited by site is down: risk\.site of risk fires since/);
  assert.equal((await happen('risk.host', { site: 'b', host: '2' })).deliveries.length, 1, 'another site');
  await happen('risk.site', { site: 'a', status: 'resolved' });
  assert.equal((await happen('risk.host', { site: 'a', host: '3' })).deliveries.length, 1);
});

test('a source that is accepted with its target inhibits it, and one that is not repeated for a day inhibits nothing', async () => {
  await rule('risk.leaf');
  await module.policies.createInhibition(admin, {
    name: 'root is down',
    sourceMatchers: kindIs('risk.root'),
    targetMatchers: kindIs('risk.leaf'),
  });
  await app.accept({ kind: 'risk.leaf', attributes: { status: 'firing', leaf: '1' } });
  await app.accept({ kind: 'risk.root', attributes: { status: 'firing' } });
  await routeAll();
  assert.equal((await newest('risk.leaf')).suppressions[0]?.policy, 'inhibition');
  await pass(23 * HOUR_MS);
  assert.equal((await happen('risk.leaf', { leaf: '2' })).suppressions[0]?.policy, 'inhibition');
  await pass(2 * HOUR_MS);
  assert.equal((await happen('risk.leaf', { leaf: '3' })).deliveries.length, 1);
});

test('an alert that Alertmanager repeats goes on inhibiting, however long it fires', async () => {
  await rule('risk.rack');
  await module.policies.createInhibition(admin, {
    name: 'room is hot',
    sourceMatchers: [{ path: 'attributes.alertname', op: 'eq', values: ['RoomHot'] }],
    targetMatchers: kindIs('risk.rack'),
  });
  const alerts = [{ status: 'firing', labels: { alertname: 'RoomHot' }, startsAt: '2026-01-15T08:00:00Z' }];
  for (let days = 0; days < 5; days++) {
    await module.ingestAlerts(operator, { version: '4', groupKey: '{}', alerts });
    await pass(20 * HOUR_MS);
    await module.removeOld();
  }
  assert.equal((await happen('risk.rack', { rack: '1' })).suppressions[0]?.policy, 'inhibition');
});

test('an inhibition leaves members out of the message of a group, and they are told once its source is resolved', async () => {
  const timing = { groupWaitSeconds: 30, groupIntervalSeconds: 300 };
  await rule('risk.disk', { groupBy: ['attributes.host'], ...timing });
  await module.policies.createInhibition(admin, {
    name: 'host is down',
    sourceMatchers: kindIs('risk.down'),
    targetMatchers: kindIs('risk.disk'),
  });
  await happen('risk.disk', { host: 'a' });
  await happen('risk.down');
  await pass(30_000);
  const { deliveries, suppressions } = await newest('risk.disk');
  assert.deepEqual([deliveries.length, suppressions[0]?.policy], [0, 'inhibition']);
  await happen('risk.down', { status: 'resolved' });
  await pass(5 * MINUTE_MS);
  assert.equal((await newest('risk.disk')).deliveries.length, 1);
});

test('a condition that flaps is told once, and again with its status once it is quiet', async () => {
  await rule('risk.check');
  await module.policies.createFlapping(admin, {
    name: 'checks',
    matchers: kindIs('risk.check'),
    minChanges: 3,
    windowSeconds: 600,
    quietSeconds: 900,
  });
  const told: (string | undefined)[] = [];
  for (const status of ['firing', 'resolved', 'firing', 'resolved', 'firing']) {
    const { deliveries, suppressions } = await happen('risk.check', { host: 'a', status });
    told.push(deliveries[0]?.reason ?? suppressions[0]?.policy);
    await pass(MINUTE_MS);
  }
  assert.deepEqual(told, ['first', 'resolved', 'flapping', 'flapping', 'flapping']);
  const { deliveries, suppressions } = await newest('risk.check');
  assert.deepEqual([deliveries.length, suppressions.length], [0, 1]);
  assert.match(suppressions[0]?.reason ?? '', /^Flapping \(checks\): 3 changes in 10 minutes/);
  await pass(15 * MINUTE_MS);
  assert.deepEqual(
    (await newest('risk.check')).deliveries.map(({ reason }) => reason),
    ['first'],
  );
  assert.equal((await happen('risk.check', { host: 'a', status: 'resolved' })).deliveries[0]?.reason, 'resolved');
});

test('flapping of a member of a group is told by the group once it is quiet', async () => {
  await rule('risk.pod', { groupBy: ['attributes.host'], groupWaitSeconds: 0, groupIntervalSeconds: 1 });
  await module.policies.createFlapping(admin, {
    name: 'pods',
    matchers: kindIs('risk.pod'),
    minChanges: 2,
    windowSeconds: 600,
    quietSeconds: 60,
  });
  await happen('risk.pod', { host: 'a' });
  await pass(1_000);
  await happen('risk.pod', { host: 'a', status: 'resolved' });
  await pass(1_000);
  const { groups, suppressions } = await happen('risk.pod', { host: 'a' });
  assert.deepEqual([groups.length, suppressions[0]?.policy], [0, 'flapping']);
  await pass(MINUTE_MS);
  await pass(1_000);
  assert.equal((await newest('risk.pod')).deliveries.length, 1);
});

test('quiet hours of a channel hold what is not critical until their end', async () => {
  const { channel: nightly } = await app.webhook('https://hooks.example/night');
  await rule('risk.night', { channelId: nightly.id });
  const soon = (ms: number): string => new Date(app.clock.now().getTime() + ms).toISOString().slice(11, 16);
  const hours = { name: 'nights', channelId: nightly.id, timeZone: 'UTC' };
  await module.policies.createQuietHours(admin, { ...hours, from: soon(0), to: soon(HOUR_MS) });
  const { waiting } = await happen('risk.night');
  assert.match(waiting[0]?.reason ?? '', /^Quiet hours of nights until/);
  assert.equal((await happen('risk.night', { severity: 'critical' })).deliveries.length, 1);
  await pass(HOUR_MS);
  assert.equal((await module.deliveries.list(operator, { channelId: nightly.id })).items.length, 2);
});

test('permanent policies are refused with their faults, and end when somebody ends them', async () => {
  const hours = { name: 'none', channelId: channel.id, timeZone: 'UTC', from: '08:00', to: '08:00' };
  await assert.rejects(module.policies.createQuietHours(admin, hours), { code: 'VAL_INVALID_VALUE' });
  const unknown = { ...hours, to: '09:00', channelId: '00000000-0000-4000-8000-000000000009' };
  await assert.rejects(module.policies.createQuietHours(admin, unknown), { code: 'RES_NOT_FOUND' });
  await rule('risk.ended');
  const sides = { sourceMatchers: kindIs('risk.ended.source'), targetMatchers: kindIs('risk.ended') };
  const { id } = await module.policies.createInhibition(admin, { name: 'ended', ...sides });
  await happen('risk.ended.source');
  assert.equal((await happen('risk.ended', { at: '1' })).suppressions.length, 1);
  await module.policies.end(admin, { id });
  assert.equal((await happen('risk.ended', { at: '2' })).deliveries.length, 1);
});
