// Tests of channels, trials of rules, and the replay of routing.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator, stranger, viewer } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const sink = await startSink();
after(() => sink[Symbol.asyncDispose]());
const { channel } = await app.webhook(`${sink.url}/hook`, 'releases');

const ofKind = (kind: string) => [{ path: 'kind', op: 'eq', values: [kind] }];
const toChannel = [{ channelId: channel.id, templateKey: 'generic' }];

const saveRule = (name: string, kind: string) =>
  module.rules.create(admin, { name, priority: 10, matchers: ofKind(kind), actions: toChannel });

test('a test of a channel is a delivery of its own event, which no rule gets, and which is explained like any other', async () => {
  const catchAll = await module.rules.create(admin, { name: 'all', priority: 1, matchers: [], actions: toChannel });
  const sent = await module.testChannel(admin, { channelId: channel.id });
  assert.deepEqual([sent.reason, sent.templateKey, sent.ruleId], ['test', 'test', null]);
  assert.equal(await module.route(), 0);
  await app.send();
  assert.equal(sink.received.length, 1);
  assert.equal(JSON.parse(sink.received[0]?.body ?? '').type, 'channel.test');
  const { event, rules, deliveries } = await module.explanation.explain(operator, { id: sent.eventId });
  assert.deepEqual([event.actor, event.attributes.channelId, rules.length], [admin.subject, channel.id, 0]);
  assert.deepEqual(
    deliveries.map(({ id, state }) => [id, state]),
    [[sent.id, 'delivered']],
  );
  await module.rules.remove(admin, { id: catchAll.id });
});

test('a channel is tested by administrators of its tenant only, and not while it is disabled', async () => {
  await assert.rejects(module.testChannel(operator, { channelId: channel.id }), { code: 'PERM_SCOPE_DENIED' });
  await assert.rejects(module.testChannel(stranger, { channelId: channel.id }), { code: 'RES_NOT_FOUND' });
  await module.channels.setEnabled(admin, { id: channel.id, isEnabled: false, reason: 'moved' });
  await assert.rejects(module.testChannel(admin, { channelId: channel.id }), {
    code: 'RES_CONFLICT',
    message: /Enable it/,
  });
  await module.channels.setEnabled(admin, { id: channel.id, isEnabled: true });
});

test('a draft is tried on a given event: the matcher that fails and its value, or the message that would be sent', async () => {
  const rule = {
    matchers: [...ofKind('risk.score.changed'), { path: 'attributes.environment', op: 'eq', values: ['prod'] }],
    actions: toChannel,
  };
  const eventIn = (environment: string) =>
    JSON.stringify({ kind: 'risk.score.changed', attributes: { environment, severity: 'critical' }, payload: {} });
  const failed = await module.testRule(viewer, { rule, event: eventIn('dev') });
  assert.deepEqual(
    [failed.outcome, failed.reason, failed.actions],
    ['failed', 'The event’s attributes.environment is “dev”; the rule wants eq “prod”.', []],
  );
  const { outcome, actions } = await module.testRule(viewer, { rule, event: eventIn('prod') });
  assert.equal(outcome, 'matched');
  assert.deepEqual(
    actions.map((action) => [action.channelId, action.outcome]),
    [[channel.id, 'send']],
  );
  assert.match(actions[0]?.message?.body ?? '', /risk\.score\.changed/);
  assert.equal((await module.explanation.list(operator, { kind: 'risk.score.changed' })).items.length, 0);
});

test('a saved rule is tried on an event of the past under the policies of now, though it is disabled', async () => {
  const rule = await saveRule('tried', 'risk.tried');
  await module.rules.update(admin, { id: rule.id, isEnabled: false });
  await app.accept({ kind: 'risk.tried', attributes: { product: 'shop' } });
  await module.route();
  const [event] = (await module.explanation.list(operator, { about: 'shop' })).items;
  const silence = await module.policies.createSilence(operator, {
    name: 'quiet',
    matchers: ofKind('risk.tried'),
    endsAt: new Date(app.clock.now().getTime() + 3_600_000).toISOString(),
    reason: 'works',
  });
  const { outcome, actions } = await module.testRule(viewer, { ruleId: rule.id, eventId: event?.id });
  assert.equal(outcome, 'matched');
  assert.deepEqual([actions[0]?.outcome, actions[0]?.policy], ['suppress', 'silence']);
  assert.match(actions[0]?.reason ?? '', /works/);
  await module.policies.end(operator, { id: silence.id });
  await module.rules.remove(admin, { id: rule.id });
});

test('a trial refuses what it cannot try, naming the field', async () => {
  const refusedFor = (input: object, field: string) =>
    assert.rejects(module.testRule(viewer, input), (error: { fields?: readonly { field: string }[] }) => {
      assert.deepEqual(
        error.fields?.map((each) => each.field),
        [field],
      );
      return true;
    });
  const event = '{"kind":"risk.a"}';
  const rule = { matchers: [{ path: 'kind', op: 'regex', values: ['('] }], actions: [] };
  await refusedFor({ event }, 'ruleId');
  await refusedFor({ rule: { matchers: [], actions: [] } }, 'eventId');
  await refusedFor({ rule: { matchers: [], actions: [] }, event: 'no JSON' }, 'event');
  await refusedFor({ rule: { matchers: [], actions: [] }, event: '{"attributes":{}}' }, 'event.kind');
  await refusedFor({ rule, event }, 'rule.matchers.0.values');
});

test('a replay counts by channel what a change of the rules adds and removes, and tests of channels are left out', async () => {
  await app.clock.advance(1_000);
  const from = app.clock.now().toISOString();
  const kept = await saveRule('kept', 'risk.kept');
  const dropped = await saveRule('dropped', 'risk.dropped');
  const kinds = ['risk.kept', 'risk.dropped', 'risk.other', 'risk.other'];
  for (const kind of kinds) await app.accept({ kind });
  await module.route();
  await module.testChannel(admin, { channelId: channel.id });
  await module.rules.remove(admin, { id: dropped.id });
  await app.clock.advance(1_000);
  const period = { from, to: app.clock.now().toISOString() };
  const { channel: other } = await app.webhook(`${sink.url}/other`, 'others');
  const draft = { matchers: ofKind('risk.other'), actions: [{ channelId: other.id, templateKey: 'generic' }] };
  const replayed = await module.replay(viewer, { ...period, rule: draft });
  assert.deepEqual(
    [replayed.events, replayed.before, replayed.after, replayed.differing, replayed.isPartial],
    [4, 2, 3, 3, false],
  );
  assert.deepEqual(
    new Map(replayed.channels.map(({ channelId, before, after }) => [channelId, [before, after]])),
    new Map([
      [channel.id, [2, 1]],
      [other.id, [0, 2]],
    ]),
  );
  assert.deepEqual(
    replayed.differences.map(({ event, added, removed }) => [event.kind, added, removed]),
    [
      ['risk.other', [other.id], []],
      ['risk.other', [other.id], []],
      ['risk.dropped', [], [channel.id]],
    ],
  );
  // A draft with the id of a saved rule takes its place.
  const silent = { ruleId: kept.id, matchers: ofKind('risk.kept'), actions: [] };
  assert.equal((await module.replay(viewer, { ...period, rule: silent })).after, 0);
  const partial = await module.replay(viewer, { ...period, limit: 2 });
  assert.deepEqual([partial.events, partial.isPartial], [2, true]);
  await assert.rejects(module.replay(viewer, { from: period.to, to: from }), { code: 'VAL_INVALID_VALUE' });
});

test('a replay counts people whom rules tell, and names the difference', async () => {
  await app.clock.advance(1_000);
  const from = app.clock.now().toISOString();
  const told = await module.rules.create(admin, {
    name: 'people',
    priority: 1,
    matchers: ofKind('risk.replayed'),
    actions: [{ recipients: { approvers: true, roles: ['operator'] }, templateKey: 'generic' }],
  });
  await app.accept({ kind: 'risk.replayed' });
  await module.route();
  await app.clock.advance(1_000);
  const ada = '00000000-0000-7000-8000-000000000401';
  const rule = {
    ruleId: told.id,
    matchers: ofKind('risk.replayed'),
    actions: [{ recipients: { approvers: true, userIds: [ada] }, templateKey: 'generic' }],
  };
  const replayed = await module.replay(viewer, { from, to: app.clock.now().toISOString(), rule });
  assert.deepEqual(
    replayed.recipients.map(({ approvers, role, user, before, after }) => [approvers, role, user?.id, before, after]),
    [
      [true, null, undefined, 1, 1],
      [false, 'operator', undefined, 1, 0],
      [false, null, ada, 0, 1],
    ],
  );
  const [difference] = replayed.differences;
  assert.deepEqual(
    difference?.addedRecipients.map(({ user }) => user?.id),
    [ada],
  );
  assert.deepEqual(
    difference?.removedRecipients.map(({ role }) => role),
    ['operator'],
  );
});

test('a replay whose matchers are costly compares the newest events, and says so', async () => {
  await app.clock.advance(1_000);
  const from = app.clock.now().toISOString();
  for (let at = 0; at < 10; at++) await app.accept({ kind: 'risk.costly', payload: { text: 'a'.repeat(4_000) } });
  await module.route();
  await app.clock.advance(1_000);
  const matchers = Array.from({ length: 50 }, () => ({ path: 'payload.text', op: 'nregex', values: ['(a|aa)*b'] }));
  const period = { from, to: app.clock.now().toISOString() };
  const replayed = await module.replay(viewer, { ...period, rule: { matchers, actions: [] } });
  assert.ok(replayed.isPartial && replayed.events > 0 && replayed.events < 10, String(replayed.events));
  assert.equal(
    replayed.partialReason,
    `The matchers are costly: the newest ${replayed.events} of 10 events were compared. Choose a shorter period.`,
  );
});

test('the messages that are shipped are listed by key and channel, with documents that the preview renders', async () => {
  const found = await module.templates.shipped(viewer, { key: 'deployment.failed', channelType: 'slack' });
  assert.deepEqual(found.map(({ locale }) => locale).toSorted(), ['de', 'en']);
  const { warnings, message } = await module.templates.preview(viewer, { document: JSON.stringify(found[0]) });
  assert.deepEqual([warnings, message.missing], [[], []]);
});
