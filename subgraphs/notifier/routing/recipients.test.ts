import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { startMailServer } from '../testing/mail-server.ts';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { mailPeople } from '../testing/person.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const mail = await startMailServer();
after(() => mail[Symbol.asyncDispose]());
const { module } = app;

const { channel, add: person, rule } = await mailPeople(app, mail);

const routeAll = async (): Promise<void> => {
  while ((await module.route()) > 0);
};

/** Accepts and routes an event, and returns what became of it. */
const fire = async (kind: string, attributes: Readonly<Record<string, string>> = {}) => {
  await app.accept({ kind, attributes });
  await routeAll();
  return newest(kind);
};

const newest = async (kind: string) => {
  const [event] = (await module.explanation.list(operator, { kind })).items;
  return module.explanation.explain(operator, { id: event?.id });
};

const addresses = ({ deliveries }: Awaited<ReturnType<typeof newest>>) =>
  deliveries.map(({ address }) => address).toSorted();

test('an action tells each person once at each of their addresses, whatever way they are meant', async () => {
  const ana = await person('ana', { roles: ['operator'], addresses: ['ana@acme.example', 'ana@home.example'] });
  const ben = await person('ben', { roles: ['operator'] });
  await rule('risk.people', { userIds: [ana.id], roles: ['operator'] });
  const told = await fire('risk.people');
  assert.deepEqual(addresses(told), ['ana@acme.example', 'ana@home.example', 'ben@acme.example']);
  assert.deepEqual(new Set(told.deliveries.map(({ recipient }) => recipient)), new Set([ana.id, ben.id]));
  const before = mail.mails.length;
  await app.send();
  const receivers = mail.mails.slice(before).flatMap(({ to }) => [to].flat().map((each) => each?.text));
  assert.deepEqual(receivers.toSorted(), ['ana@acme.example', 'ana@home.example', 'ben@acme.example']);
  await module.route();
  assert.equal((await newest('risk.people')).deliveries.length, 3, 'routing again makes none anew');
});

test('a critical event goes to the important list, others to the default list', async () => {
  const { id, as, methods } = await person('cleo', { addresses: ['cleo@acme.example', 'cleo@pager.example'] });
  const [defaultMethods, importantMethods] = [methods.slice(0, 1), methods.slice(1)];
  await module.preferences.set(as, { timeZone: 'UTC', defaultMethods, importantMethods });
  await rule('risk.lists', { userIds: [id] });
  assert.deepEqual(addresses(await fire('risk.lists')), ['cleo@acme.example']);
  assert.deepEqual(addresses(await fire('risk.lists', { severity: 'critical' })), ['cleo@pager.example']);
  await module.contactMethods.remove(as, { id: defaultMethods[0] });
  assert.deepEqual(addresses(await fire('risk.lists')), ['cleo@pager.example'], 'an empty list is every address');
});

test('approvers of the promotion are told, and nobody else', async () => {
  const dan = await person('dan', { roles: ['approver'] });
  const eve = await person('eve', { roles: ['approver'] });
  eve.listed.approves = false;
  await rule('risk.approval', { approvers: true });
  assert.deepEqual(addresses(await fire('risk.approval', { promotionId: dan.id })), ['dan@acme.example']);
  dan.listed.approves = false;
  const [nobody] = (await fire('risk.approval', { promotionId: dan.id })).suppressions;
  assert.deepEqual([nobody?.policy, nobody?.recipient], ['no_recipient', null]);
  assert.match(nobody?.reason ?? '', /^Nobody is active who may approve the promotion, or it was decided before/);
});

test('a person without a verified address is a suppression that names them, which administrators see', async () => {
  const { id } = await person('finn', { addresses: [] });
  await rule('risk.unreachable', { userIds: [id] });
  const { suppressions } = await fire('risk.unreachable');
  assert.deepEqual(
    suppressions.map(({ policy, recipient }) => [policy, recipient]),
    [['unreachable', id]],
  );
  assert.match(suppressions[0]?.reason ?? '', /^finn has no verified contact method/);
  const { data } = await app.graph(
    '{ notificationSuppressions(first: 1) { edges { node { policy recipient { id } } } } }',
    {},
    { as: admin },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).notificationSuppressions.edges, [
    { node: { policy: 'unreachable', recipient: { id } } },
  ]);
});

test('a message waits for the end of a person’s quiet hours, in their zone; a critical one does not', async () => {
  const gus = await person('gus', { addresses: ['gus@acme.example', 'gus@home.example'] });
  const local = Temporal.Instant.from(app.clock.now().toISOString()).toZonedDateTimeISO('Asia/Tokyo');
  const at = (hours: number): string => local.add({ hours }).toPlainTime().toString().slice(0, 5);
  await module.preferences.set(gus.as, { timeZone: 'Asia/Tokyo', quietHours: { from: at(-1), to: at(1) } });
  await rule('risk.quiet', { userIds: [gus.id] });
  assert.equal((await fire('risk.quiet', { severity: 'critical' })).deliveries.length, 2);
  const held = await fire('risk.quiet');
  assert.deepEqual([held.deliveries.length, held.waiting.length], [0, 2]);
  assert.match(held.waiting[0]?.reason ?? '', /^Quiet hours of gus until/);
  await module.contactMethods.remove(gus.as, { id: gus.methods[1] });
  await app.clock.advance(3_600_000);
  await routeAll();
  const after = await newest('risk.quiet');
  assert.deepEqual(addresses(after), ['gus@acme.example']);
  assert.deepEqual(
    after.suppressions.map(({ policy }) => policy),
    ['unreachable'],
  );
});

test('a removed person is not told, also where the message waited already', async () => {
  const hal = await person('hal');
  const day = { timeZone: 'UTC', quietHours: { from: '00:00', to: '23:59' } };
  await module.preferences.set(hal.as, day);
  await rule('risk.removed', { userIds: [hal.id] });
  assert.equal((await fire('risk.removed')).waiting.length, 1);
  hal.listed.isActive = false;
  await app.clock.advance(24 * 3_600_000);
  await routeAll();
  const { deliveries, suppressions } = await newest('risk.removed');
  assert.deepEqual([deliveries.length, suppressions[0]?.policy], [0, 'unreachable']);
  assert.equal((await fire('risk.removed')).suppressions[0]?.policy, 'no_recipient');
});

test('a throttle counts for each address, and a trial of the rule says whom it would tell', async () => {
  const people = [await person('ida', { roles: ['viewer'] }), await person('jo', { roles: ['viewer'] })];
  const { id: ruleId } = await rule(
    'risk.throttle',
    { roles: ['viewer'] },
    { throttle: { key: [], max: 1, windowSeconds: 60 } },
  );
  assert.equal((await fire('risk.throttle')).deliveries.length, 2);
  const again = await fire('risk.throttle');
  assert.deepEqual(
    again.suppressions.map(({ policy, recipient }) => `${policy} ${recipient}`).toSorted(),
    people.map(({ id }) => `throttle ${id}`).toSorted(),
  );
  const { actions } = await module.testRule(operator, { ruleId, event: '{"kind": "risk.throttle"}' });
  assert.deepEqual(
    actions.map(({ recipient, outcome }) => [recipient?.id, outcome]),
    people.map(({ id }) => [id, 'send']),
  );
});

test('a message is in the language of the person, in the zone of the person, and its retry on a channel is not personal', async () => {
  const kim = await person('kim');
  await module.preferences.set(kim.as, { timeZone: 'Europe/Berlin', locale: 'de' });
  await rule('risk.language', { userIds: [kim.id] });
  const { deliveries } = await fire('risk.language');
  const id = deliveries[0]?.id;
  assert.match((await app.messageOf(id)).text ?? '', /Erste Benachrichtigung · .* UTC\+01:00/);
  const { channel: other } = await app.webhook('https://hooks.example/landfall');
  const sibling = await module.deliveries.retry(operator, { id, forceChannel: other.id });
  assert.deepEqual([sibling.recipient, sibling.address], [null, null]);
});

test('an error of the look-up is the reason of its action alone; where the database fails, the event waits for the next turn', async () => {
  let failure: Error | undefined = new Error('a bug');
  const filterApprovers = async (): Promise<readonly string[]> => {
    if (failure) throw failure;
    return [];
  };
  await using own = await notifierApp({ approvers: { scope: 'orch:approve', filterApprovers } });
  const { module: notifier } = own;
  const { channel: hook } = await own.webhook('https://hooks.example/landfall');
  await notifier.rules.create(admin, {
    name: 'both',
    priority: 1,
    matchers: [],
    actions: [
      { recipients: { approvers: true }, templateKey: 'generic' },
      { channelId: hook.id, templateKey: 'generic' },
    ],
  });
  const outcome = async () => {
    const [event] = (await notifier.explanation.list(operator, {})).items;
    const { deliveries, suppressions } = await notifier.explanation.explain(operator, { id: event?.id });
    return [event?.routedAt !== null, deliveries.length, suppressions.map(({ policy }) => policy)];
  };
  const attributes = { promotionId: '00000000-0000-7000-8000-000000000300' };
  await own.accept({ attributes });
  await notifier.route();
  assert.deepEqual(await outcome(), [true, 1, ['error']]);

  failure = new Fault('SYS_DATABASE_ERROR', 'The database is down.');
  await own.accept({ attributes });
  await notifier.route();
  assert.deepEqual(await outcome(), [false, 0, []]);
  failure = undefined;
  await notifier.route();
  assert.deepEqual(await outcome(), [true, 1, ['no_recipient']]);
});

test('an action names a channel or recipients, and recipients get each event by itself', async () => {
  for (const [action, message] of [
    [{}, /or recipients, one of them/],
    [{ channelId: channel.id, recipients: { approvers: true } }, /or recipients, one of them/],
    [{ recipients: {} }, /must be approvers, user ids or roles/],
    [{ recipients: { roles: ['pilot'] } }, /pilot is none of admin, approver/],
  ] as const) {
    const actions = [{ ...action, templateKey: 'generic' }];
    await assert.rejects(module.rules.create(admin, { name: 'odd', priority: 1, matchers: [], actions }), message);
  }
});

test('a message to an address that its owner removed in the meantime is not sent, also when it is retried', async () => {
  const { id, as, methods } = await person('moved');
  await rule('risk.moved', { userIds: [id] });
  await app.send();
  const { deliveries } = await fire('risk.moved');
  const before = mail.mails.length;
  await module.contactMethods.remove(as, { id: methods[0] });
  await app.send();
  const deliveryId = deliveries[0]?.id;
  const { items } = await module.deadLetters.list(operator, { channelId: channel.id });
  assert.deepEqual(
    items.filter((letter) => letter.deliveryId === deliveryId).map(({ cause }) => cause),
    ['address_removed'],
  );
  await module.deliveries.retry(operator, { id: deliveryId });
  await app.send();
  assert.equal(mail.mails.length, before);
  assert.equal((await module.channels.get(operator, { id: channel.id })).failures, 0);
});

test('a message that is forced to another channel keeps the language and the zone of its person', async () => {
  const { id, as, methods } = await person('forced');
  await module.preferences.set(as, { timeZone: 'Europe/Berlin', locale: 'de' });
  await rule('risk.moved.on', { userIds: [id] });
  const { deliveries } = await fire('risk.moved.on');
  await module.contactMethods.remove(as, { id: methods[0] });
  await app.send();
  const { channel: other } = await app.webhook('https://hooks.example/forced');
  const retry = { id: deliveries[0]?.id, forceChannel: other.id };
  const sibling = await module.deliveries.retry(operator, retry);
  assert.match((await app.messageOf(sibling.id)).body, /"Erste Benachrichtigung"/);
});

test('a person whom three rules name gets one message of an event, and the explanation names the rules', async () => {
  const { id } = await person('thrice');
  for (const name of ['one', 'two', 'three'])
    await module.rules.create(admin, {
      name,
      priority: 1,
      matchers: [{ path: 'kind', op: 'eq', values: ['risk.thrice'] }],
      actions: [{ recipients: { userIds: [id] }, templateKey: 'generic' }],
    });
  const { deliveries, suppressions, rules } = await fire('risk.thrice');
  assert.equal(deliveries.length, 1);
  assert.deepEqual(
    suppressions.map(({ policy, reason }) => [policy, reason]),
    Array.from({ length: 2 }, () => ['duplicate', 'The rule one tells thrice of it at this address.']),
  );
  assert.deepEqual(
    rules.filter(({ outcome }) => outcome === 'matched').map(({ name }) => name),
    ['one', 'two', 'three'],
  );
});
