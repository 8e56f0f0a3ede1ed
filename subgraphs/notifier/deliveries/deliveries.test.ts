import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const newest = async (channelId: string) => {
  const { items } = await module.deliveries.list(operator, { channelId });
  const [delivery] = items;
  return delivery ?? assert.fail('there is no delivery');
};

/** A webhook with a rule, and what it receives. */
const receiver = async (reply?: Parameters<typeof startSink>[0]) => {
  const sink = await startSink(reply);
  const { channel, secret } = await app.webhook(`${sink.url}/hook`);
  const rule = await app.rule(channel.id);
  return {
    sink,
    channel,
    secret,
    async [Symbol.asyncDispose]() {
      await module.rules.remove(admin, { id: rule.id });
      await sink[Symbol.asyncDispose]();
    },
  };
};

/** Accepts an event, routes it and sends what it became. */
const notify = async (event?: Parameters<typeof app.accept>[0]) => {
  await app.accept(event);
  await module.route();
  await app.send();
};

test('an accepted event is delivered once, signed so that another library verifies it', async () => {
  await using home = await receiver();
  await notify();
  const [request, ...others] = home.sink.received;
  assert.ok(request);
  assert.equal(others.length, 0);
  // The library checks the time by the real clock.
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
  const verifier = new Webhook(home.secret);
  assert.equal(verifier.sign(String(id), new Date(Number(timestamp) * 1_000), request.body), signature);
  const delivery = await newest(home.channel.id);
  assert.deepEqual([delivery.state, delivery.attempts, delivery.reason], ['delivered', 1, 'first']);
  assert.equal(id, `msg_${delivery.id}`);
});

// spec: 8/webhook-retries, rulings/16
test('a failed webhook is tried three times in all, after one and two seconds, under one id', async () => {
  await using home = await receiver(() => ({ status: 503 }));
  await notify();
  assert.equal((await newest(home.channel.id)).state, 'failed');
  await app.clock.advance(999);
  await app.send();
  assert.equal(home.sink.received.length, 1);
  await app.clock.advance(1);
  await app.send();
  await app.clock.advance(2_000);
  await app.send();
  assert.equal(home.sink.received.length, 3);
  assert.equal(new Set(home.sink.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const delivery = await newest(home.channel.id);
  assert.equal(delivery.state, 'dead-lettered');
  const { items } = await module.deadLetters.list(operator, { channelId: home.channel.id });
  assert.deepEqual(
    items.map(({ cause, attempts, status }) => ({ cause, attempts, status })),
    [{ cause: 'http_status', attempts: 3, status: 'open' }],
  );
  const attempts = await module.deliveries.attempts(operator, { ids: [delivery.id] });
  assert.deepEqual(
    attempts.map(({ number, outcome, httpStatus }) => [number, outcome, httpStatus]),
    [
      [1, 'retry', 503],
      [2, 'retry', 503],
      [3, 'failed', 503],
    ],
  );
});

test('an answer that is permanent ends a delivery at once', async () => {
  for (const status of [301, 400, 403, 404, 501]) {
    await using home = await receiver(() => ({ status }));
    await notify();
    assert.equal((await newest(home.channel.id)).state, 'dead-lettered', String(status));
    assert.equal(home.sink.received.length, 1);
  }
});

// spec: 8/retry-classes, rulings/41
test('Retry-After of 429 is honoured, in seconds and as a date', async () => {
  for (const retryAfter of ['120', () => new Date(app.clock.now().getTime() + 120_000).toUTCString()]) {
    const value = typeof retryAfter === 'string' ? retryAfter : retryAfter();
    await using home = await receiver((_, at) =>
      at === 1 ? { status: 429, headers: { 'retry-after': value } } : { status: 204 },
    );
    await notify();
    await app.clock.advance(118_000);
    await app.send();
    assert.equal(home.sink.received.length, 1);
    await app.clock.advance(2_000);
    await app.send();
    assert.equal((await newest(home.channel.id)).state, 'delivered');
  }
});

test('five failures in a row open the circuit breaker for a minute; then one delivery probes it', async () => {
  let isBroken = true;
  await using home = await receiver(() => ({ status: isBroken ? 404 : 200 }));
  for (let at = 0; at < 5; at++) await notify();
  assert.equal(home.sink.received.length, 5);
  for (let at = 0; at < 3; at++) await notify();
  assert.equal(home.sink.received.length, 5, 'nothing is sent while it is open');
  assert.equal((await module.channels.get(operator, { id: home.channel.id })).failures, 5);
  isBroken = false;
  await app.clock.advance(60_000);
  const begun = await module.dispatch.begin(new AbortController().signal);
  assert.equal(begun.length, 1, 'one probe');
  await Promise.all(begun);
  await app.clock.advance(60_000);
  await app.send();
  assert.equal(home.sink.received.length, 8);
  const channel = await module.channels.get(operator, { id: home.channel.id });
  assert.deepEqual([channel.failures, channel.openUntil], [0, null]);
});

test('a receiver that is gone disables its channel, and says what to do', async () => {
  await using home = await receiver(() => ({ status: 410 }));
  await notify();
  const channel = await module.channels.get(operator, { id: home.channel.id });
  assert.equal(channel.isEnabled, false);
  assert.match(channel.disabledReason ?? '', /410/);
  await notify();
  assert.equal(home.sink.received.length, 1);
  const { items } = await module.deadLetters.list(operator, { channelId: home.channel.id });
  assert.deepEqual(items.map(({ cause }) => cause).toSorted(), ['channel_disabled', 'http_status']);
});

test('a delivery that landed is not retried; one that did not is, and keeps its attempts', async () => {
  let status = 200;
  await using home = await receiver(() => ({ status }));
  await notify();
  const landed = await newest(home.channel.id);
  await assert.rejects(module.deliveries.retry(operator, { id: landed.id }), { code: 'delivery_already_completed' });
  status = 404;
  await notify();
  const lost = await newest(home.channel.id);
  status = 200;
  await module.deliveries.retry(operator, { id: lost.id, reason: 'mended' });
  await app.send();
  const retried = await module.deliveries.get(operator, { id: lost.id });
  assert.deepEqual([retried.state, retried.attempts], ['delivered', 2]);
  const { items } = await module.deadLetters.list(operator, { channelId: home.channel.id });
  assert.deepEqual(
    items.map((letter) => letter.status),
    ['retried'],
  );
});

test('dead letters of a cause are sent again together, and a dry run counts them', async () => {
  let status = 404;
  await using home = await receiver(() => ({ status }));
  for (let at = 0; at < 3; at++) await notify();
  const filter = { channelId: home.channel.id, cause: 'http_status' };
  assert.deepEqual(await module.deadLetters.retry(operator, { ...filter, isDryRun: true }), {
    retried: 0,
    remaining: 3,
  });
  status = 200;
  assert.deepEqual(await module.deadLetters.retry(operator, { ...filter, limit: 2 }), { retried: 2, remaining: 1 });
  await app.send();
  assert.equal(home.sink.received.length, 5);
  const unknown = { cause: 'http_staus', isDryRun: true };
  await assert.rejects(module.deadLetters.retry(operator, unknown), { code: 'VAL_INVALID_VALUE' });
});

test('a delivery is forced to another channel in the words of that channel', async () => {
  await using home = await receiver(() => ({ status: 404 }));
  await using other = await startSink();
  const { channel } = await module.channels.create(admin, {
    name: 'team',
    teams: { credential: { webhookUrl: `${other.url}/flow` } },
  });
  await notify();
  const lost = await newest(home.channel.id);
  const forced = await module.deliveries.retry(operator, { id: lost.id, forceChannel: channel.id });
  await app.send();
  assert.equal((await module.deliveries.get(operator, { id: lost.id })).state, 'cancelled');
  assert.deepEqual([forced.forcedFrom, forced.channelId], [lost.id, channel.id]);
  assert.match(other.received[0]?.body ?? '', /AdaptiveCard/);
});

test('a rotated secret signs beside the old one until that expires', async () => {
  await using home = await receiver();
  const rotated = await module.secrets.rotate(admin, { channelId: home.channel.id, overlapHours: 1 });
  await notify();
  const both = String(home.sink.received[0]?.headers['webhook-signature']).split(' ');
  assert.equal(both.length, 2);
  await app.clock.advance(3_600_001);
  await notify();
  const { headers, body } = home.sink.received[1] ?? assert.fail('nothing came');
  const signed = new Webhook(rotated.secret).sign(
    String(headers['webhook-id']),
    new Date(Number(headers['webhook-timestamp']) * 1_000),
    body,
  );
  assert.equal(headers['webhook-signature'], signed);
  const masked = await module.secrets.get(admin, { channelId: home.channel.id });
  assert.deepEqual(
    masked.secrets.map(({ secret }) => secret),
    [`whsec_****${rotated.secret.slice(-4)}`],
  );
});

test('a secret is confirmed once the receiver takes what it alone signed: a test during the overlap', async () => {
  await using home = await receiver();
  const confirmed = async () =>
    (await module.secrets.get(admin, { channelId: home.channel.id })).secrets.map(
      ({ confirmedAt }) => confirmedAt !== null,
    );
  assert.deepEqual(await confirmed(), [false]);
  await notify();
  assert.deepEqual(await confirmed(), [true]);
  const { secret } = await module.secrets.rotate(admin, { channelId: home.channel.id });
  await notify();
  assert.deepEqual(await confirmed(), [false, true], 'both signed');
  await module.testChannel(admin, { channelId: home.channel.id });
  await app.send();
  assert.deepEqual(await confirmed(), [true, true]);
  const { headers, body } = home.sink.received.at(-1) ?? assert.fail('nothing came');
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const signed = new Webhook(secret).sign(String(headers['webhook-id']), at, body);
  assert.equal(headers['webhook-signature'], signed);
});
