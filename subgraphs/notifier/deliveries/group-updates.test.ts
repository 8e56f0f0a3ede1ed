import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseJson } from '@landfall/kernel/core/json';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const SECOND_MS = 1_000;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const record = (text: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(text);
  assert.ok(isRecord(value));
  return value;
};

/** Creates a rule that groups events of a kind, told at once and again after a second. */
const grouped = (kind: string, channelId: string) =>
  module.rules.create(admin, {
    name: kind,
    priority: 10,
    matchers: [{ path: 'kind', op: 'eq', values: [kind] }],
    actions: [{ channelId, templateKey: 'generic', groupBy: ['kind'], groupWaitSeconds: 0, groupIntervalSeconds: 1 }],
  });

/** Accepts an event, and routes it. */
const fire = async (kind: string, host: string, status = 'firing'): Promise<void> => {
  await app.accept({ kind, attributes: { host, status } });
  while ((await module.route()) > 0);
};

const pass = async (ms: number): Promise<void> => {
  await app.clock.advance(ms);
  while ((await module.route()) > 0);
  await app.send();
};

test('a bot posts one message of a group in Slack, updates it at most once a second, and posts anew once it was deleted', async () => {
  let posted = 0;
  let isDeleted = false;
  await using sink = await startSink(({ path }) => {
    if (path === '/chat.postMessage') {
      posted += 1;
      return { body: JSON.stringify({ ok: true, ts: `17.${posted}` }) };
    }
    return { body: JSON.stringify(isDeleted ? { ok: false, error: 'message_not_found' } : { ok: true, ts: '17.1' }) };
  });
  const { channel } = await module.channels.create(admin, {
    name: 'slack',
    slack: { config: { channel: 'C1', apiUrl: sink.url }, credential: { botToken: 'xoxb-1' } },
  });
  await grouped('risk.slack', channel.id);
  const calls = () => sink.received.map(({ path, body }) => [path.slice(1), record(body).ts]);
  await fire('risk.slack', 'a');
  await app.send();
  await fire('risk.slack', 'b');
  await pass(SECOND_MS - 1);
  assert.deepEqual(calls(), [['chat.postMessage', undefined]]);
  await pass(1);
  await pass(SECOND_MS);
  assert.deepEqual(calls()[1], ['chat.update', '17.1']);
  assert.match(sink.received[1]?.body ?? '', /2 events in this group/);
  isDeleted = true;
  await fire('risk.slack', 'a', 'resolved');
  await pass(SECOND_MS);
  await pass(SECOND_MS);
  assert.deepEqual(calls().slice(2), [
    ['chat.update', '17.1'],
    ['chat.postMessage', undefined],
  ]);
  isDeleted = false;
  await fire('risk.slack', 'b', 'resolved');
  await pass(SECOND_MS);
  await pass(SECOND_MS);
  assert.deepEqual(calls().slice(4), [['chat.update', '17.2']]);
});

test('messages of a group that wait for their channel are sent one after the other', async () => {
  let isDown = true;
  await using sink = await startSink(() =>
    isDown ? { status: 503 } : { body: JSON.stringify({ ok: true, ts: '18.1' }) },
  );
  const { channel } = await module.channels.create(admin, {
    name: 'slow',
    slack: { config: { channel: 'C2', apiUrl: sink.url }, credential: { botToken: 'xoxb-1' } },
  });
  await grouped('risk.slow', channel.id);
  await fire('risk.slow', 'a');
  await app.send();
  await fire('risk.slow', 'b');
  isDown = false;
  await app.clock.advance(SECOND_MS);
  await app.send();
  await pass(0);
  assert.deepEqual(
    sink.received.map(({ path }) => path),
    ['/chat.postMessage', '/chat.postMessage'],
  );
  await pass(SECOND_MS);
  await pass(SECOND_MS);
  assert.deepEqual(
    sink.received.slice(2).map(({ path }) => path),
    ['/chat.update'],
  );
});

test('PagerDuty gets a group as one incident, which is resolved with its last member', async () => {
  await using sink = await startSink(() => ({ status: 202, body: '{"status":"success"}' }));
  const { channel } = await module.channels.create(admin, {
    name: 'pager',
    pagerduty: { config: { eventsUrl: sink.url }, credential: { routingKey: 'key' } },
  });
  await grouped('risk.pager', channel.id);
  const steps = [
    ['a', 'firing'],
    ['b', 'firing'],
    ['a', 'resolved'],
    ['b', 'resolved'],
  ] as const;
  for (const [host, status] of steps) {
    await fire('risk.pager', host, status);
    await pass(SECOND_MS);
    await pass(SECOND_MS);
  }
  const sent = sink.received.map(({ body }) => record(body));
  assert.deepEqual(
    sent.map((each) => each.event_action),
    ['trigger', 'trigger', 'trigger', 'resolve'],
  );
  assert.equal(new Set(sent.map((each) => each.dedup_key)).size, 1);
  assert.match(String(sent[0]?.dedup_key), /^landfall-[0-9a-f]{64}$/);
});

test('a message of a group that is forced to another pager opens what the end of the group resolves', async () => {
  let status = 404;
  await using sink = await startSink(() => ({ status }));
  const pager = async (name: string) =>
    (
      await module.channels.create(admin, {
        name,
        pagerduty: { config: { eventsUrl: sink.url }, credential: { routingKey: name } },
      })
    ).channel;
  const [first, second] = [await pager('first pager'), await pager('second pager')];
  await grouped('risk.forced', first.id);
  await fire('risk.forced', 'a');
  await app.send();
  status = 202;
  const [lost] = (await module.deliveries.list(operator, { channelId: first.id })).items;
  await module.deliveries.retry(operator, { id: lost?.id, forceChannel: second.id });
  await app.send();
  const keys = sink.received.map(({ body }) => record(body).dedup_key);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});
