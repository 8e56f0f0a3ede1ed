import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseJson } from '@landfall/kernel/core/json';
import { sql } from '@landfall/kernel/db/sql';
import { arm } from '@landfall/kernel/system/failpoint';
import fc from 'fast-check';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const { channel } = await app.webhook('https://hooks.example/landfall');
const SECOND_MS = 1_000;
const HOUR_SECONDS = 3_600;
const TIMING = { groupWaitSeconds: 30, groupIntervalSeconds: 300, repeatIntervalSeconds: HOUR_SECONDS };

/** Creates a rule that groups events of a kind by their environment. */
const grouped = (kind: string, action: Readonly<Record<string, unknown>> = {}) =>
  module.rules.create(admin, {
    name: kind,
    priority: 10,
    matchers: [{ path: 'kind', op: 'eq', values: [kind] }],
    actions: [
      { channelId: channel.id, templateKey: 'generic', groupBy: ['attributes.environment'], ...TIMING, ...action },
    ],
  });

const routeAll = async (): Promise<void> => {
  while ((await module.route()) > 0);
};

/** Accepts an event of a condition, and routes it. */
const fire = async (kind: string, host: string, attributes: Readonly<Record<string, string>> = {}): Promise<void> => {
  await app.accept({ kind, attributes: { environment: 'production', host, status: 'firing', ...attributes } });
  await routeAll();
};

const pass = async (seconds: number): Promise<void> => {
  await app.clock.advance(seconds * SECOND_MS);
  await routeAll();
};

const eventsOf = async (kind: string) => (await module.explanation.list(operator, { kind, first: 200 })).items;

/** Explanation of the newest event of a kind. */
const newest = async (kind: string) => {
  const [event] = await eventsOf(kind);
  return module.explanation.explain(operator, { id: event?.id });
};

interface Body {
  readonly data: {
    readonly reason: { readonly code: string };
    readonly event: { readonly attributes: Readonly<Record<string, string>> };
    readonly group: {
      readonly count: number;
      readonly open: number;
      readonly members: readonly { readonly eventId: string; readonly attributes: Readonly<Record<string, string>> }[];
    };
  };
}

/** Messages about events of a kind, the oldest first: reason and hosts. */
const bodiesOf = async (kind: string): Promise<Body['data'][]> => {
  const found = (await eventsOf(kind)).map(({ id }) => module.explanation.explain(operator, { id }));
  const deliveries = (await Promise.all(found)).flatMap((each) => each.deliveries);
  const ids = [...new Set(deliveries.map(({ id }) => id))].sort();
  const isBody = (_body: unknown): _body is Body => true;
  return Promise.all(
    ids.map(async (id) => {
      const body = parseJson((await app.messageOf(id)).body);
      assert.ok(isBody(body));
      return body.data;
    }),
  );
};

const messagesOf = async (kind: string): Promise<string[]> =>
  (await bodiesOf(kind)).map(
    ({ reason, group }) => `${reason.code}: ${group.members.map(({ attributes }) => attributes.host).join(' ')}`,
  );

test('a group is told after its wait, and again of new members, as a reminder, and once it ended', async () => {
  await grouped('risk.life');
  await fire('risk.life', 'a');
  await fire('risk.life', 'b');
  const { groups, deliveries } = await newest('risk.life');
  assert.equal(deliveries.length, 0);
  assert.equal(groups[0]?.dueAt?.getTime(), app.clock.now().getTime() + 30 * SECOND_MS);
  await pass(30);
  assert.deepEqual(await messagesOf('risk.life'), ['first: a b']);
  await fire('risk.life', 'c');
  await fire('risk.life', 'a');
  await pass(299);
  assert.equal((await messagesOf('risk.life')).length, 1, 'the interval is not over');
  await pass(1);
  assert.equal((await messagesOf('risk.life'))[1], 'new_members: b c a');
  await pass(HOUR_SECONDS);
  assert.equal((await messagesOf('risk.life'))[2], 'repeat: b c a');
  for (const host of ['a', 'b', 'c']) await fire('risk.life', host, { status: 'resolved' });
  await pass(300);
  const bodies = await bodiesOf('risk.life');
  assert.deepEqual([bodies[3]?.reason.code, bodies[3]?.group.count, bodies[3]?.group.open], ['resolved', 3, 0]);
  await pass(48 * HOUR_SECONDS);
  assert.equal((await bodiesOf('risk.life')).length, 4);
  const over = await newest('risk.life');
  assert.deepEqual([over.groups[0]?.dueAt, over.groups[0]?.deliveryId], [null, over.deliveries[0]?.id]);
});

test('events that differ in the values of the group are told by themselves, and one without a duration is not repeated', async () => {
  await grouped('risk.apart');
  for (const environment of ['production', 'staging'])
    await app.accept({ kind: 'risk.apart', attributes: { environment, host: environment } });
  await routeAll();
  await pass(30);
  await pass(10 * HOUR_SECONDS);
  assert.deepEqual(await messagesOf('risk.apart'), ['first: production', 'first: staging']);
});

test('a repeated event of what was told already is told by the message that told it', async () => {
  await grouped('risk.same');
  await fire('risk.same', 'a');
  await pass(30);
  await fire('risk.same', 'a');
  await pass(300);
  const { groups, deliveries } = await newest('risk.same');
  assert.deepEqual(await messagesOf('risk.same'), ['first: a']);
  assert.equal(groups[0]?.deliveryId, deliveries[0]?.id);
});

test('what ended before its group was told is not told, with its reason', async () => {
  await grouped('risk.short');
  await fire('risk.short', 'a');
  await fire('risk.short', 'a', { status: 'resolved' });
  await pass(30);
  assert.deepEqual(await messagesOf('risk.short'), []);
  for (const { id } of await eventsOf('risk.short')) {
    const { suppressions } = await module.explanation.explain(operator, { id });
    assert.deepEqual(
      suppressions.map(({ policy, reason }) => [policy, reason]),
      [['grouping', 'It ended before the message of its group was due.']],
    );
  }
});

test('a silence is asked when a message is due: it leaves events out, reminders too, and what goes on is told after it', async () => {
  await grouped('risk.hush');
  const silence = async (host: string, seconds: number) =>
    module.policies.createSilence(operator, {
      name: `${host} ${seconds}`,
      matchers: [
        { path: 'kind', op: 'eq', values: ['risk.hush'] },
        { path: 'attributes.host', op: 'eq', values: [host] },
      ],
      endsAt: new Date(app.clock.now().getTime() + seconds * SECOND_MS).toISOString(),
      reason: 'known',
    });
  await fire('risk.hush', 'b');
  await fire('risk.hush', 'a');
  await silence('a', 400);
  await pass(30);
  assert.deepEqual(await messagesOf('risk.hush'), ['first: b']);
  const { suppressions } = await newest('risk.hush');
  assert.match(suppressions[0]?.reason ?? '', /^Silenced until .* by .*: known$/);
  await pass(300);
  assert.equal((await newest('risk.hush')).suppressions.length, 1, 'the reason is not written again');
  await pass(300);
  assert.equal((await messagesOf('risk.hush'))[1], 'new_members: b a');
  await silence('a', 2 * HOUR_SECONDS);
  await silence('b', 2 * HOUR_SECONDS);
  await pass(HOUR_SECONDS);
  assert.equal((await messagesOf('risk.hush')).length, 2, 'the reminder is silenced');
  assert.equal((await newest('risk.hush')).suppressions.length, 2);
  await pass(HOUR_SECONDS);
  await pass(HOUR_SECONDS);
  assert.equal((await messagesOf('risk.hush'))[2], 'repeat: b a');
});

test('a muted interval holds the message of a group until its end, and the explanation says so', async () => {
  const day = 24 * HOUR_SECONDS;
  const ofDay = Math.floor(app.clock.now().getTime() / SECOND_MS) % day;
  await pass(day - ofDay + 11 * HOUR_SECONDS);
  const muted = await module.policies.createTimeInterval(admin, {
    name: 'mornings',
    timeZone: 'UTC',
    periods: [{ times: [{ from: '00:00', to: '12:00' }] }],
  });
  await grouped('risk.muted', { mutedDuring: [muted.id] });
  await fire('risk.muted', 'a');
  await pass(30);
  const { groups } = await newest('risk.muted');
  assert.match(groups[0]?.reason ?? '', /^Muted during mornings until/);
  await fire('risk.muted', 'b');
  await pass(HOUR_SECONDS);
  assert.deepEqual(await messagesOf('risk.muted'), ['first: a b']);
});

test('nothing is repeated for a rule that was removed', async () => {
  const rule = await grouped('risk.gone');
  await fire('risk.gone', 'a');
  await pass(30);
  await module.rules.remove(admin, { id: rule.id });
  await pass(10 * HOUR_SECONDS);
  assert.deepEqual(await messagesOf('risk.gone'), ['first: a']);
  assert.equal((await newest('risk.gone')).groups[0]?.dueAt, null);
});

test('a group is not given with a digest', async () => {
  const digest = { schedule: { times: ['09:00'] } };
  await assert.rejects(grouped('risk.both', { digest }), { code: 'VAL_INVALID_VALUE' });
});

test('a group that cannot be decided is tried again later and stops no other', async () => {
  await grouped('risk.broken');
  await grouped('risk.whole');
  await fire('risk.broken', 'a');
  await fire('risk.whole', 'a');
  const { groups } = await newest('risk.broken');
  const setVersion = (version: number) =>
    app.deps.database.system.write((tx) =>
      tx.run(sql`update notify.groups set rule_set_version = ${version} where id = ${groups[0]?.id}`),
    );
  await setVersion(1_000_000);
  await pass(30);
  assert.deepEqual(await messagesOf('risk.whole'), ['first: a']);
  assert.match((await newest('risk.broken')).groups[0]?.reason ?? '', /^An error of the notifier/);
  const { ruleSetVersion } = (await newest('risk.broken')).event;
  await setVersion(ruleSetVersion ?? 0);
  await pass(300);
  assert.deepEqual(await messagesOf('risk.broken'), ['first: a']);
});

test('an acknowledged group is not repeated, and a throttle holds for its messages', async () => {
  await grouped('risk.taken', { throttle: { key: [], max: 2, windowSeconds: 5 * HOUR_SECONDS } });
  await fire('risk.taken', 'a');
  await pass(30);
  await fire('risk.taken', 'a', { status: 'acknowledged' });
  await pass(4 * HOUR_SECONDS);
  assert.deepEqual(await messagesOf('risk.taken'), ['first: a']);
  await fire('risk.taken', 'b');
  await pass(300);
  assert.equal((await messagesOf('risk.taken'))[1], 'new_members: a b');
  await fire('risk.taken', 'c');
  await pass(300);
  const { suppressions } = await newest('risk.taken');
  assert.deepEqual([(await messagesOf('risk.taken')).length, suppressions[0]?.policy], [2, 'throttle']);
  await pass(2 * HOUR_SECONDS);
  assert.equal((await messagesOf('risk.taken'))[2], 'new_members: a b c');
});

const FAULTS = [
  'notifier.groups.opened',
  'notifier.event.planned',
  'notifier.groups.sent',
  'notifier.groups.decided',
] as const;

test('processes that end between any two steps leave every event in exactly one message or with a reason', async () => {
  const step = fc.record({
    events: fc.array(
      fc.record({
        host: fc.constantFrom('a', 'b', 'c'),
        environment: fc.constantFrom('production', 'staging'),
        status: fc.constantFrom('firing', 'resolved', undefined),
      }),
      { maxLength: 4 },
    ),
    seconds: fc.constantFrom(0, 10, 40, 310),
    fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
    routers: fc.integer({ min: 1, max: 3 }),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      runs += 1;
      const kind = `risk.fault${runs}`;
      const rule = await grouped(kind);
      for (const { events, seconds, fault, routers } of steps) {
        for (const { status, ...attributes } of events)
          await app.accept({ kind, attributes: { ...attributes, ...(status && { status }) } });
        await app.clock.advance(seconds * SECOND_MS);
        using _fault = fault && arm(fault, () => Promise.reject(new Error('killed')));
        await Promise.allSettled(Array.from({ length: routers }, () => module.route()));
      }
      await pass(310);
      await pass(310);
      // An end between two messages that is over by the second is told with the reminder.
      await pass(HOUR_SECONDS);
      const told = (await bodiesOf(kind)).map(({ group }) => group.members.map(({ eventId }) => eventId));
      for (const { id, eventId, attributes } of await eventsOf(kind)) {
        const { groups, suppressions } = await module.explanation.explain(operator, { id });
        assert.equal(groups.length, 1);
        assert.equal(Number(groups[0]?.deliveryId !== null) + suppressions.length, 1, JSON.stringify(groups));
        const messages = told.filter((members) => members.includes(eventId)).length;
        if (attributes.status === undefined) assert.equal(messages, 1, 'an event without a duration is in one message');
      }
      await module.rules.remove(admin, { id: rule.id });
    }),
    { numRuns: 20 },
  );
});
