import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { randomIds as ids } from '@landfall/kernel/core/ids';
import { oauth } from '@landfall/kernel/routes/dialects/oauth';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { json, protocolRoute } from '@landfall/kernel/routes/route';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { registerGraph } from '../graph/graph-route.ts';
import { servedHosts } from '../http/allowed-hosts.ts';
import { createListener } from '../http/listener.ts';
import { registerNotFound } from '../http/not-found.ts';
import { gatewaySettings } from '../settings/settings.ts';

const clock = systemClock;
const env = { LANDFALL_BASE_URL: 'https://ops.example.com', LANDFALL_ALLOWED_HOSTS: 'desk.example:4000' };

/** Starts a listener like the product's, with an OAuth route, the graph and a page. */
const listening = async () => {
  const telemetry = createTelemetry(silentLog);
  const meter = telemetry.meter('http');
  const serves = servedHosts(loadSettings(gatewaySettings, { env }));
  const app = createListener({ ids, clock, log: silentLog, meter, serves });
  registerNotFound(app, clock, false);
  await registerGraph(app, {
    graph: { answer: () => assert.fail('was asked'), close: async () => {} },
    identify: () => Promise.reject(new Fault('AUTH_TOKEN_MISSING', 'x')),
  });
  const token = protocolRoute({
    method: 'POST',
    path: '/tokens/:id',
    module: 'authority',
    dialect: oauth,
    summary: 'x',
    schemas: { response: {} },
    handle: async () => json(200, {}),
  });
  const callerOf = () => Promise.reject(new TypeError('not asked'));
  await registerRoutes(app, [token], { clock, ids, callerOf, onBug: () => {} });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = new URL(origin);

  /** Sends raw lines on a socket and returns the answer. */
  const raw = async (lines: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(lines);
    const answer = await text(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
  };
  const send = async (method: string, path: string, { host = `127.0.0.1:${port}`, type = '', body = '' } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { host, ...(type && { 'content-type': type }) };
    request({ host: '127.0.0.1', port, method, path, headers }, resolve).on('error', reject).end(body);
    const response = await promise;
    const bodyText = await text(response);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: bodyText === '' ? undefined : JSON.parse(bodyText),
    };
  };
  return {
    raw,
    send,
    async [Symbol.asyncDispose]() {
      await app.close();
      await telemetry.close();
    },
  };
};

const JSON_TYPE = 'application/json';

test('every refusal of the framework carries a code of ours, in the common envelope', async () => {
  await using web = await listening();
  const coded = async (method: string, path: string, overrides: object = {}) => {
    const { status, headers, body } = await web.send(method, path, overrides);
    assert.deepEqual([body.success, headers['x-content-type-options']], [false, 'nosniff'], path);
    assert.equal(body.meta.requestId, headers['x-svc-correlation-id']);
    return [status, body.error.code];
  };
  assert.deepEqual(await coded('POST', '/none', { type: JSON_TYPE, body: '{' }), [404, 'RES_NOT_FOUND']);
  assert.deepEqual(await coded('POST', '/none', { type: 'text/x', body: 'x' }), [404, 'RES_NOT_FOUND']);
  for (const method of ['PUT', 'DELETE'])
    assert.deepEqual(await coded(method, '/none', { type: JSON_TYPE }), [404, 'RES_NOT_FOUND']);
  assert.deepEqual(await coded('GET', '/%zz'), [400, 'VAL_INVALID_FORMAT']);
  assert.deepEqual(await coded('GET', `/${'x'.repeat(9_000)}`), [404, 'RES_NOT_FOUND']);
  assert.deepEqual(await coded('POST', `/tokens/${'x'.repeat(9_000)}`), [414, 'VAL_TOO_LONG']);
  assert.deepEqual(await coded('PROPFIND', '/none'), [404, 'RES_NOT_FOUND']);
});

test('what never becomes a request is answered with a code too', async () => {
  await using web = await listening();
  const long = await web.raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.deepEqual([long.status, long.body.error.code], [431, 'VAL_TOO_LONG']);
  assert.match(long.head, /content-type: application\/json/);
  const none = await web.raw('this is no request\r\n\r\n');
  assert.deepEqual([none.status, none.body.error.code], [400, 'VAL_INVALID_FORMAT']);
});

test('a known path says which methods it takes, in its own form; an unknown one is 404', async () => {
  await using web = await listening();
  const read = await web.send('GET', '/tokens/1');
  assert.deepEqual([read.status, read.headers.allow, read.body.error], [405, 'OPTIONS, POST', 'invalid_request']);
  const graph = await web.send('GET', '/graphql');
  const { code, status } = graph.body.errors[0].extensions;
  assert.deepEqual([graph.status, graph.headers.allow, code, status], [405, 'OPTIONS, POST', 'VAL_INVALID_VALUE', 405]);
  for (const method of ['PUT', 'DELETE'])
    assert.equal((await web.send(method, '/graphql', { type: JSON_TYPE })).status, 405);
  const options = await web.send('OPTIONS', '/tokens/1');
  assert.deepEqual([options.status, options.headers.allow, options.body], [204, 'OPTIONS, POST', undefined]);
  for (const path of ['/tokens', '/tokens/', '/tokens/1/2'])
    assert.equal((await web.send('OPTIONS', path)).status, 404);
});

test('the graph’s refusal of a body says the status that it is sent with', async () => {
  await using web = await listening();
  for (const [type, body, expected] of [
    ['text/plain', 'x', 415],
    [JSON_TYPE, 'x'.repeat(1_100_000), 413],
    [JSON_TYPE, '{', 400],
    [JSON_TYPE, '{}', 401],
  ] as const) {
    const answer = await web.send('POST', '/graphql', { type, body });
    assert.deepEqual([answer.status, answer.body.errors[0].extensions.status], [expected, expected]);
  }
});

test('a listener on loopback answers under its own names only', async () => {
  await using web = await listening();
  const status = async (host: string) => (await web.send('POST', '/tokens/1', { host })).status;
  for (const host of ['localhost:4000', '127.0.0.1', '[::1]:4000', 'ops.example.com', 'desk.example:4000'])
    assert.equal(await status(host), 200, host);
  for (const host of ['evil.example', 'evil.example:4000', 'localhost.evil.example', 'ops.example.com:81', '10.0.0.1'])
    assert.equal(await status(host), 421, host);
  assert.equal((await web.send('GET', '/', { host: 'evil.example' })).body.error.code, 'VAL_INVALID_VALUE');
});
