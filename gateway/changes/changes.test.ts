import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { newest } from '@landfall/kernel/events/read';
import { event } from '@landfall/kernel/events/write';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { createListener } from '../http/listener.ts';
import { createChangeFeed } from './change-feed.ts';
import { registerChanges } from './changes.ts';
import { createHorizonWatch } from './horizon-watch.ts';

const writer = hasTenant(people.operator) ? people.operator : assert.fail('no tenant');

/** The feed's listener for one caller, who may be changed on the way. */
const serve = async (caller: Caller = people.viewer) => {
  await using stack = new AsyncDisposableStack();
  const { deps, clock } = stack.use(await testDeps());
  const telemetry = createTelemetry(deps.log);
  stack.defer(telemetry.close);
  const feed = stack.use(createChangeFeed(deps));
  const app = createListener({ ids: deps.ids, clock: deps.clock, log: deps.log, meter: telemetry.meter('http') });
  stack.defer(() => app.close());
  const later: { refusal?: Fault } = {};
  const streams = await registerChanges(app, {
    feed,
    identify: async () => caller,
    identifyStream: async () => {
      if (later.refusal) throw later.refusal;
      return caller;
    },
    heartbeatMs: 5,
    horizon: stack.use(createHorizonWatch({ ...deps, everyMs: 50 })),
  });
  stack.defer(() => streams.close());
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const resources = stack.move();
  return {
    deps,
    advance: clock.advance,
    later,
    open: (headers: Readonly<Record<string, string>> = {}) => fetch(`${origin}/changes`, { headers }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const refusalOf = async (response: Response) => {
  const { error } = JSON.parse(await response.text());
  return [response.status, error.code];
};

test('a stream ends when its caller would not be let in any more', async () => {
  for (const code of ['AUTH_TOKEN_EXPIRED', 'AUTH_TOKEN_REVOKED', 'AUTH_TOKEN_MISSING'] as const) {
    await using server = await serve();
    const { status, body } = await server.open();
    assert.equal(status, 200);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.ok(reader);
    let text = '';
    // Heartbeats to a caller who is still authorised do not end the stream.
    while (text.split('\n:\n').length < 3) text += (await reader.read()).value;
    server.later.refusal = new Fault(code, 'No more.');
    while (!(await reader.read()).done);
  }
});

test('who may read nothing that notices are about is told nothing', async () => {
  await using server = await serve(people.nobody);
  assert.deepEqual(await refusalOf(await server.open()), [403, 'PERM_SCOPE_DENIED']);
});

// spec: 7.2/SYS_OVERLOADED
test('one caller holds twenty streams at most, and a place that is left can be taken', async () => {
  await using server = await serve();
  const open = await Promise.all(Array.from({ length: 20 }, () => server.open()));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  const refused = await server.open();
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.deepEqual(await refusalOf(refused), [500, 'SYS_OVERLOADED']);
  await open[0]?.body?.cancel();
  await until(async () => (await server.open()).status === 200);
});

test('a place to resume after that no event of this database can have is refused', async () => {
  await using server = await serve();
  const { xid } = await server.deps.database.read(toTenantId('acme'), newest);
  for (const lastEventId of ['x', '1', '99999999999999999999-1', '1-9223372036854775808', `${xid + 1_000n}-0`])
    assert.deepEqual(
      await refusalOf(await server.open({ 'last-event-id': lastEventId })),
      [400, 'VAL_INVALID_FORMAT'],
      lastEventId,
    );
});

test('a stream is told how far it is behind while events wait for an open transaction, and when they do no more', async () => {
  await using server = await serve();
  const { database } = server.deps;
  const { promise: transaction, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const note = { entity: 'Note', version: 1 };
  const slow = database.write(writer.tenant, async (tx) => {
    await event(tx, writer, 'note.write', { ...note, id: 'slow' });
    begin();
    await transaction;
  });
  await started;
  await database.write(writer.tenant, (tx) => event(tx, writer, 'note.write', { ...note, id: 'waiting' }));
  await server.advance(90_000);
  const { body } = await server.open();
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  let text = '';
  while (!/event: behind\ndata: {"seconds":90}\n/.test(text)) text += (await reader.read()).value;
  release();
  await slow;
  while (!/event: behind\ndata: {"seconds":0}\n/.test(text)) text += (await reader.read()).value;
  await reader.cancel();
});
