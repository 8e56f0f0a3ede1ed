import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMailServer } from '../testing/mail-server.ts';
import { notifierApp, operator } from '../testing/notifier-app.ts';
import { mailPeople } from '../testing/person.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const mail = await startMailServer();
after(() => mail[Symbol.asyncDispose]());
const { module } = app;

const { add: person, rule } = await mailPeople(app, mail);

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

const MINUTE_MS = 60_000;

/** Moves the clock and routes. @returns what became of the newest event of a kind */
const later = async (kind: string, ms: number) => {
  await app.clock.advance(ms);
  await routeAll();
  return newest(kind);
};

test('a digest to a person comes at its time in their zone and in their language, and other people have their own', async () => {
  const [oslo, tokyo] = [await person('oslo'), await person('tokyo')];
  await module.preferences.set(oslo.as, { timeZone: 'Europe/Oslo', locale: 'de' });
  await module.preferences.set(tokyo.as, { timeZone: 'Asia/Tokyo' });
  const digest = { schedule: { times: ['08:00'] }, sendsFirst: false };
  await rule('risk.digest', { userIds: [oslo.id, tokyo.id] }, { digest });
  await app.accept({ kind: 'risk.digest' });
  const { groups, deliveries } = await fire('risk.digest');
  assert.equal(deliveries.length, 0);
  const due = new Map(groups.map(({ recipient, dueAt }) => [recipient, dueAt?.toISOString().slice(11, 16)]));
  assert.deepEqual([due.get(oslo.id), due.get(tokyo.id)], ['07:00', '23:00']);
  const told = await later('risk.digest', 24 * 60 * MINUTE_MS);
  const byPerson = new Map(told.deliveries.map((each) => [each.recipient, each]));
  assert.deepEqual([...byPerson.keys()].toSorted(), [oslo.id, tokyo.id].toSorted());
  const [german, english] = await Promise.all([oslo, tokyo].map(({ id }) => app.messageOf(byPerson.get(id)?.id)));
  assert.match(german?.body ?? '', /Gesammelt seit der letzten Zusammenfassung/);
  assert.match(english?.body ?? '', /Collected since the last digest/);
});

test('a group is told to each person once for its members, and ends with its reason for one who removed the address', async () => {
  const [ina, jon] = [await person('ina'), await person('jon')];
  const timing = { groupBy: ['kind'], groupWaitSeconds: 60, groupIntervalSeconds: 60 };
  await rule('risk.grouped', { userIds: [ina.id, jon.id] }, timing);
  await app.accept({ kind: 'risk.grouped' });
  await fire('risk.grouped', { part: 'b' });
  await module.contactMethods.remove(jon.as, { id: jon.methods[0] });
  const { deliveries, suppressions } = await later('risk.grouped', MINUTE_MS);
  assert.deepEqual(
    deliveries.map(({ recipient, reason }) => [recipient, reason]),
    [[ina.id, 'first']],
  );
  assert.match((await app.messageOf(deliveries[0]?.id)).text ?? '', /2 events in this group/);
  assert.deepEqual(
    suppressions.map(({ policy, recipient }) => [policy, recipient]),
    [['unreachable', jon.id]],
  );
});

test('a later step of a list waits, and is not told once the event is over or acknowledged', async () => {
  const { id, as, methods } = await person('kim', { addresses: ['kim@acme.example', 'kim@pager.example'] });
  const steps = { timeZone: 'UTC', defaultMethods: methods };
  await assert.rejects(module.preferences.set(as, { ...steps, defaultWaits: [0] }), { code: 'VAL_INVALID_VALUE' });
  await module.preferences.set(as, { ...steps, defaultWaits: [0, 10] });
  await rule('risk.steps', { userIds: [id] });
  const first = await fire('risk.steps', { status: 'firing', part: 'a' });
  assert.deepEqual(addresses(first), ['kim@acme.example']);
  assert.match(first.waiting[0]?.reason ?? '', /^A later step of kim: it is told after 10 minutes/);
  assert.deepEqual(addresses(await later('risk.steps', 10 * MINUTE_MS)), ['kim@acme.example', 'kim@pager.example']);
  const second = await fire('risk.steps', { status: 'firing', part: 'b' });
  assert.deepEqual(addresses(await fire('risk.steps', { status: 'acknowledged', part: 'b' })), ['kim@acme.example']);
  await later('risk.steps', 10 * MINUTE_MS);
  const { deliveries, suppressions } = await module.explanation.explain(operator, { id: second.event.id });
  assert.equal(deliveries.length, 1);
  assert.match(suppressions[0]?.reason ?? '', /over, or somebody acknowledged it/);
});
