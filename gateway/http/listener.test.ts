import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { createLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { seededIds } from '@landfall/kernel/testing/ids';
import { createListener, type Timeouts } from './listener.ts';

/** Starts a listener and collects its log lines. */
const listening = async (patience?: Timeouts) => {
  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const telemetry = createTelemetry(log);
  const app = createListener({
    ids: seededIds(),
    clock: systemClock,
    log,
    meter: telemetry.meter('http'),
    ...(patience && { patience }),
  });
  return {
    app,
    lines,
    async [Symbol.asyncDispose]() {
      await app.close();
      await telemetry.close();
    },
  };
};

test('a body that never ends is cut off; an answer may take longer than that', async () => {
  await using server = await listening({ headers: 500, request: 500, idle: 60_000, check: 10 });
  const { promise: slowIsGone, resolve: goOn } = Promise.withResolvers<void>();
  server.app.get('/poll', async () => {
    await slowIsGone;
    return 'patience';
  });
  server.app.post('/', async () => 'never');
  const origin = await server.app.listen({ port: 0, host: '127.0.0.1' });
  const polled = fetch(`${origin}/poll`);

  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhalf');
  assert.match(await text(socket), /^HTTP\/1\.1 408 /);
  goOn();
  assert.equal(await (await polled).text(), 'patience');
});

test('the cause of an outage is in the request’s line, once, under the request id', async () => {
  await using server = await listening();
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432');
  server.app.get('/down', () => {
    throw new Fault('SYS_DATABASE_ERROR', 'The database does not answer.', undefined, [], { cause });
  });
  server.app.get('/absent', () => {
    throw new Fault('RES_NOT_FOUND', 'Not here.', undefined, [], { cause });
  });
  const { headers } = await server.app.inject('/down');
  await server.app.inject('/absent');
  const logged = server.lines.filter((line) => line.includes('10.0.0.7'));
  assert.equal(logged.length, 1);
  const { correlationId, status, err } = JSON.parse(logged[0] ?? '');
  assert.deepEqual([correlationId, status], [headers['x-svc-correlation-id'], 500]);
  assert.match(err.stack, /The database does not answer[\s\S]*caused by: Error: connect ECONNREFUSED/);
});
