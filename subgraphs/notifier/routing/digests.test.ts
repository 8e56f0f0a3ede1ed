import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseJson } from '@landfall/kernel/core/json';
import { encodeCursor } from '@landfall/kernel/operation/page';
import { arm } from '@landfall/kernel/system/failpoint';
import fc from 'fast-check';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Creates a rule with a digest at nine in Berlin, on a channel of its own. */
const collected = async (kind: string, digest: Readonly<Record<string, unknown>> = {}) => {
  const { channel } = await app.webhook('https://hooks.example/landfall');
  await module.rules.create(admin, {
    name: kind,
    priority: 10,
    matchers: [{ path: 'kind', op: 'eq', values: [kind] }],
    actions: [
      {
        channelId: channel.id,
        templateKey: 'generic',
        digest: { schedule: { times: ['09:00'] }, timeZone: 'Europe/Berlin', ...digest },
      },
    ],
  });
  return channel.id;
};

const routeAll = async (): Promise<void> => {
  while ((await module.route()) > 0);
};

const accept = async (kind: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await app.accept({ kind }));
  return ids;
};

const passTo = async (time: string): Promise<void> => {
  await app.clock.advance(Date.parse(time) - app.clock.now().getTime());
  await routeAll();
};

interface Body {
  readonly data: {
    readonly reason: { readonly code: string };
    readonly group: { readonly members: readonly { readonly eventId: string }[] };
  };
}
const isBody = (_body: unknown): _body is Body => true;

/** Messages of a channel, the oldest first, with the events that each lists. */
const messagesOf = async (channelId: string) => {
  const deliveries = (await module.deliveries.list(operator, { channelId, first: 200 })).items.toReversed();
  return Promise.all(
    deliveries.map(async ({ id }) => {
      const body = parseJson((await app.messageOf(id)).body);
      assert.ok(isBody(body));
      return { reason: body.data.reason.code, events: body.data.group.members.map(({ eventId }) => eventId) };
    }),
  );
};

const explain = async (kind: string) => {
  const [event] = (await module.explanation.list(operator, { kind })).items;
  return module.explanation.explain(operator, { id: event?.id });
};

test('the first event goes out at once and the rest in a digest by the zone of its reader; an empty one is never sent', async () => {
  const channel = await collected('risk.daily');
  const [first = ''] = await accept('risk.daily', 1);
  await routeAll();
  const rest = await accept('risk.daily', 3);
  await routeAll();
  const { groups } = await explain('risk.daily');
  assert.deepEqual([groups[0]?.kind, groups[0]?.dueAt], ['digest', new Date('2026-01-16T08:00:00Z')]);
  assert.deepEqual(await messagesOf(channel), [{ reason: 'first', events: [first] }]);
  await passTo('2026-01-16T08:00:00Z');
  assert.deepEqual((await messagesOf(channel))[1], { reason: 'digest', events: rest });
  await passTo('2026-01-19T08:00:00Z');
  assert.equal((await messagesOf(channel)).length, 2, 'nothing was collected');
  const [again = ''] = await accept('risk.daily', 1);
  await routeAll();
  assert.deepEqual((await messagesOf(channel))[2], { reason: 'first', events: [again] });
});

test('a digest asks the policies of its time, and names what it leaves out', async () => {
  const channel = await collected('risk.quiet', { sendsFirst: false });
  await accept('risk.quiet', 2);
  await routeAll();
  assert.equal((await messagesOf(channel)).length, 0);
  await module.policies.createSilence(operator, {
    name: 'digest',
    matchers: [{ path: 'kind', op: 'eq', values: ['risk.quiet'] }],
    endsAt: '2026-01-21T00:00:00Z',
    reason: 'known',
  });
  await passTo('2026-01-20T08:00:00Z');
  assert.equal((await messagesOf(channel)).length, 0);
  const { groups, suppressions } = await explain('risk.quiet');
  assert.deepEqual([suppressions.length, groups[0]?.dueAt], [1, null]);
});

test('a digest that is sent to another channel lists its events too', async () => {
  const channel = await collected('risk.moved', { sendsFirst: false });
  const events = await accept('risk.moved', 2);
  await routeAll();
  await passTo('2026-01-22T08:00:00Z');
  const [delivery] = (await module.deliveries.list(operator, { channelId: channel })).items;
  const { channel: other } = await app.webhook('https://hooks.example/other');
  await module.deliveries.retry(operator, { id: delivery?.id, forceChannel: other.id });
  assert.deepEqual((await messagesOf(other.id))[0]?.events, events);
});

const FAULTS = [
  'notifier.groups.opened',
  'notifier.event.planned',
  'notifier.groups.sent',
  'notifier.groups.decided',
] as const;

test('events that come while digests are sent by several processes that end at any step are in exactly one message', async () => {
  const channel = await collected('risk.race');
  const steps = fc.sample(
    fc.record({
      events: fc.integer({ min: 0, max: 4 }),
      late: fc.integer({ min: 0, max: 2 }),
      fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
    }),
    300,
  );
  const accepted: string[] = [];
  const seen: string[][] = [];
  for (const [at, { events, late, fault }] of steps.entries()) {
    // A message lists fifty events: more are collected if fault follows fault for long.
    if (at % 6 === 0) await routeAll();
    accepted.push(...(await accept('risk.race', events)));
    await app.clock.advance(24 * HOUR_MS);
    using _fault = fault && arm(fault, () => Promise.reject(new Error('killed')));
    const [, , ids] = await Promise.allSettled([
      module.route(),
      module.route(),
      accept('risk.race', late),
      module.route(),
    ]);
    if (ids.status === 'fulfilled') accepted.push(...ids.value);
  }
  await app.clock.advance(24 * HOUR_MS);
  await routeAll();
  await app.clock.advance(24 * HOUR_MS);
  await routeAll();
  let after: string | undefined;
  do {
    const page = await module.deliveries.list(operator, { channelId: channel, first: 200, after });
    for (const { id } of page.items) {
      const body = parseJson((await app.messageOf(id)).body);
      assert.ok(isBody(body));
      seen.push(body.data.group.members.map(({ eventId }) => eventId));
    }
    const last = page.items.at(-1);
    after = page.hasNextPage && last ? encodeCursor(last.id) : undefined;
  } while (after !== undefined);
  assert.deepEqual(seen.flat().toSorted(), accepted.toSorted());
  assert.ok(
    seen.every((members) => members.length > 0),
    'no digest is empty',
  );
  assert.ok(seen.some((members) => members.length > 1));
});
