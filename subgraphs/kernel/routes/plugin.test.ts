import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import Fastify from 'fastify';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import type { OperationSpec } from '../operation/operation.ts';
import { people } from '../testing/callers.ts';
import { fixedClock } from '../testing/clock.ts';
import { seededIds } from '../testing/ids.ts';
import { envelope } from './dialects/envelope.ts';
import { oauth } from './dialects/oauth.ts';
import { problem } from './dialects/problem.ts';
import { registerRoutes } from './plugin.ts';
import { type Answer, json, one, protocolRoute, type Route, type RouteRequest, route } from './route.ts';

type Extra = Partial<Pick<Route, 'accepts' | 'bodyLimit' | 'sunset' | 'successor' | 'dialect'>>;

const created = (
  method: Route['method'],
  path: string,
  handle: (request: RouteRequest) => Answer | Promise<Answer>,
  extra: Extra = {},
): Route =>
  protocolRoute({
    method,
    path,
    module: 'test',
    summary: 'A test.',
    schemas: { response: { 200: Type.Unknown() } },
    dialect: envelope,
    ...extra,
    handle: async (request) => handle(request),
  });

const bug = new Error('password=hunter2 in a stack');

/** A listener with `routes`, as hosts make it. */
const serving = async (...routes: readonly Route[]) => {
  const bugs: { error: unknown; requestId: string }[] = [];
  const app = Fastify({ genReqId: () => 'req-1' });
  await registerRoutes(app, routes, {
    clock: fixedClock(),
    ids: seededIds(),
    callerOf: async ({ headers }) => {
      if (headers.authorization) return people.operator;
      throw new Fault('AUTH_TOKEN_MISSING', 'No token.');
    },
    onBug: (error, { id: requestId }) => void bugs.push({ error, requestId }),
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(origin + path, init);
    const body = await response.text();
    return { status: response.status, headers: response.headers, body };
  };
  /** The whole answer as bytes; the connection is closed after it. */
  const raw = async (...lines: readonly string[]): Promise<string> => {
    const { port, hostname } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.end([...lines, 'Host: x', 'Connection: close', '', ''].join('\r\n'));
    return text(socket);
  };
  return { origin, ask, raw, bugs, [Symbol.asyncDispose]: () => app.close() };
};

const echo = (path = '/echo', extra: Extra = {}): Route =>
  created('POST', path, ({ body }) => json(200, { body: body ?? null }), extra);

const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

const codeIn = (body: string): unknown => JSON.parse(body).error.code;

// spec: 7.2/VAL_INVALID_JSON, rulings/21
test('a body that is no JSON is 400 VAL_INVALID_JSON', async () => {
  await using server = await serving(echo());
  for (const body of ['{', '{"a":}', 'undefined', "{'a':1}", '\ufeff{}']) {
    const answer = await server.ask('/echo', post(body));
    assert.deepEqual([answer.status, codeIn(answer.body)], [400, 'VAL_INVALID_JSON'], body);
  }
  assert.deepEqual(server.bugs, []);
});

test('no body, and an empty one, are no body at all', async () => {
  await using server = await serving(echo());
  assert.equal((await server.ask('/echo', { method: 'POST' })).body, '{"body":null}');
  assert.equal((await server.ask('/echo', post(''))).body, '{"body":null}');
});

test('a member called __proto__ is a member like others', async () => {
  await using server = await serving(
    created('POST', '/keys', ({ body }) => json(200, Object.keys({ ...(typeof body === 'object' && body) }))),
  );
  assert.equal((await server.ask('/keys', post('{"__proto__":{"admin":true}}'))).body, '["__proto__"]');
});

// spec: rulings/21
test('a body past the limit is 413, one at the limit is taken, whether its length was declared or not', async () => {
  await using server = await serving(echo('/echo', { bodyLimit: 10 }));
  assert.equal((await server.ask('/echo', post('"12345678"'))).status, 200);
  const large = await server.ask('/echo', post('"123456789"'));
  assert.deepEqual([large.status, codeIn(large.body)], [413, 'VAL_TOO_LONG']);
  const chunked = await server.raw(
    'POST /echo HTTP/1.1',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Host: x',
    'Connection: close',
    '',
    'b',
    '"123456789"',
    '0',
    '',
  );
  assert.match(chunked, /^HTTP\/1\.1 413 /);
});

// spec: rulings/21
test('a media type that the route does not take is 415, a body without one too, in OAuth’s words as well', async () => {
  await using server = await serving(echo(), echo('/form', { accepts: 'form', dialect: oauth }));
  const asForm = await server.ask('/echo', post('a=1', 'application/x-www-form-urlencoded'));
  assert.deepEqual([asForm.status, codeIn(asForm.body)], [415, 'VAL_INVALID_FORMAT']);
  const asJson = await server.ask('/form', post('{}'));
  assert.deepEqual([asJson.status, JSON.parse(asJson.body).error], [415, 'invalid_request']);
  const untyped = await server.ask('/echo', { method: 'POST', body: new Blob(['{}']) });
  assert.equal(untyped.status, 415);
  assert.equal((await server.ask('/echo', post('{}', 'application/json; charset=utf-8'))).status, 200);
});

test('several Authorization headers are a list, for the route to refuse; one is a text', async () => {
  await using server = await serving(created('GET', '/who', ({ headers }) => json(200, headers.authorization ?? null)));
  const duplicated = await server.raw('GET /who HTTP/1.1', 'Authorization: Basic YQ==', 'authorization: Basic Yg==');
  assert.ok(duplicated.endsWith('["Basic YQ==","Basic Yg=="]'));
  const once = await server.raw('GET /who HTTP/1.1', 'Authorization: Basic YQ==');
  assert.ok(once.endsWith('"Basic YQ=="'));
});

test('a form keeps a parameter that stands twice as a list, for the route to refuse', async () => {
  await using server = await serving(echo('/form', { accepts: 'form' }));
  const { body } = await server.ask('/form', post('a=1&b=x+y&a=2&c=&d=%C3%A9', 'application/x-www-form-urlencoded'));
  assert.deepEqual(JSON.parse(body).body, { a: ['1', '2'], b: 'x y', c: '', d: 'é' });
});

test('a query parameter that stands twice is a list, and not one value', async () => {
  await using server = await serving(
    created('GET', '/q', ({ query }) => json(200, [query, one(query.a) ?? null, one(query.b) ?? null])),
  );
  const { body } = await server.ask('/q?a=1&a=2&b=3');
  assert.deepEqual(JSON.parse(body), [{ a: ['1', '2'], b: '3' }, null, '3']);
});

test('a query parameter that a route takes once is refused by name when it stands twice', async () => {
  const request: unknown[] = [];
  const spec: OperationSpec = {
    name: 'thing.list',
    kind: 'read',
    scope: [],
    callers: ['user'],
    input: Type.Unknown(),
    raises: [],
    example: {},
  };
  const text = Type.Optional(Type.String());
  const items = route({
    method: 'GET',
    path: '/things',
    module: 'test',
    summary: 'Things.',
    dialect: envelope,
    schemas: {
      query: Type.Object({ limit: text, cursor: text, tag: Type.Array(Type.String()) }),
      response: { 200: Type.Unknown() },
    },
    operation: Object.assign(async (_caller: unknown, input: unknown) => request.push(input), { spec }),
    input: ({ query }) => query,
    answer: () => json(200, 'done'),
  });
  await using server = await serving(items);
  const ask = (query: string) => server.ask(`/things?${query}`, { headers: { authorization: 'x' } });
  const { status, body } = await ask('limit=1&limit=2&tag=a&tag=b&cursor=x&cursor=x');
  const { code, validationErrors } = JSON.parse(body).error;
  assert.deepEqual([status, code], [400, 'VAL_INVALID_FORMAT']);
  assert.deepEqual(
    validationErrors.map(({ field }: { field: string }) => field),
    ['limit', 'cursor'],
  );
  assert.deepEqual(request, []);
  assert.equal((await ask('limit=1&tag=a&tag=b')).status, 200);
  assert.deepEqual(request, [{ limit: '1', tag: ['a', 'b'] }]);
});

test('what can be got has a head: the same status and headers without a body', async () => {
  await using server = await serving(
    created('GET', '/thing', () => json(200, { name: 'x' }), { sunset: '2026-05-01' }),
    created('GET', '/gone', () => Promise.reject(new Fault('RES_NOT_FOUND', 'Gone.'))),
    echo(),
  );
  for (const [path, status] of [
    ['/thing', 200],
    ['/gone', 404],
  ] as const) {
    const response = await server.ask(path);
    const head = await server.ask(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [status, '']);
    for (const name of ['content-type', 'content-length', 'sunset'])
      assert.equal(head.headers.get(name), response.headers.get(name), name);
  }
  assert.equal((await server.ask('/echo', { method: 'HEAD' })).status, 404, 'a POST has none');
});

test('a path or method that is nobody’s is left to the host', async () => {
  const app = Fastify();
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('the host’s own words'));
  await registerRoutes(app, [echo()], {
    clock: fixedClock(),
    ids: seededIds(),
    callerOf: () => assert.fail('nobody asks who'),
    onBug: () => assert.fail('no bug'),
  });
  for (const [method, url] of [
    ['GET', '/nowhere'],
    ['GET', '/echo'],
    ['POST', '/echo/'],
  ] as const)
    assert.equal((await app.inject({ method, url })).body, 'the host’s own words');
  await app.close();
});

test('a retired route says so on every answer, errors of every kind too', async () => {
  const retired: Extra = { sunset: '2026-05-01', successor: '/new' };
  await using server = await serving(
    echo('/ok', retired),
    created('POST', '/denied', async ({ caller }) => json(200, (await caller()).subject), retired),
    created('POST', '/broken', () => Promise.reject(bug), retired),
    echo('/current'),
  );
  const answers = {
    '/ok': [200, post('{}')],
    '/denied': [401, post('{}')],
    '/broken': [500, post('{}')],
  } as const;
  for (const [path, [status, init]] of Object.entries(answers)) {
    const { headers, status: response } = await server.ask(path, init);
    assert.deepEqual(
      [response, headers.get('deprecation'), headers.get('sunset'), headers.get('link')],
      [status, 'true', '2026-05-01', '</new>; rel="successor-version"'],
    );
  }
  const refused = await server.ask('/ok', post('{'));
  assert.deepEqual([refused.status, refused.headers.get('sunset')], [400, '2026-05-01']);
  assert.equal((await server.ask('/current', post('{}'))).headers.get('deprecation'), null);
});

// spec: 7.2/SYS_INTERNAL_ERROR
test('a bug is masked in the route’s dialect and told to the host; its words reach nobody', async () => {
  const thrown = [bug, new SyntaxError(bug.message), new TypeError(bug.message), bug.message, undefined];
  const throwing = thrown.map((error, i) =>
    created('GET', `/bug/${i}`, () => Promise.reject(error), { dialect: problem }),
  );
  await using server = await serving(...throwing);
  for (const i of thrown.keys()) {
    const { status, body, headers } = await server.ask(`/bug/${i}`);
    assert.deepEqual([status, headers.get('content-type')], [500, 'application/problem+json']);
    assert.deepEqual([JSON.parse(body).code, JSON.parse(body).requestId], ['SYS_INTERNAL_ERROR', 'req-1']);
    assert.doesNotMatch(body, /hunter2|plugin\.test|node:|\bat /);
  }
  assert.deepEqual(
    server.bugs.map(({ error, requestId }) => [error, requestId]),
    thrown.map((error) => [error, 'req-1']),
  );
});

test('an outage of ours is told to the host with its cause, under the request’s id', async () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432');
  const outage = new Fault('SYS_DATABASE_ERROR', 'The database does not answer.', undefined, [], { cause });
  await using server = await serving(created('GET', '/down', () => Promise.reject(outage)));
  const { status, body } = await server.ask('/down');
  assert.deepEqual([status, codeIn(body)], [500, 'SYS_DATABASE_ERROR']);
  assert.doesNotMatch(body, /10\.0\.0\.7/);
  assert.deepEqual(server.bugs, [{ error: outage, requestId: 'req-1' }]);
});

test('a fault of the caller is told to nobody else', async () => {
  await using server = await serving(created('GET', '/me', async ({ caller }) => json(200, (await caller()).subject)));
  const { status, body } = await server.ask('/me');
  assert.deepEqual([status, codeIn(body)], [401, 'AUTH_TOKEN_MISSING']);
  assert.equal((await server.ask('/me', { headers: { authorization: 'x' } })).status, 200);
  assert.deepEqual(server.bugs, []);
});

test('credentials are verified once a request, and only when the route asks', async () => {
  let requestCount = 0;
  const app = Fastify();
  const duplicated = created('GET', '/twice', async ({ caller }) => {
    const [first, second] = [await caller(), await caller()];
    return json(200, first === second);
  });
  await registerRoutes(app, [duplicated, created('GET', '/open', () => json(200, true))], {
    clock: fixedClock(),
    ids: seededIds(),
    callerOf: async () => {
      requestCount += 1;
      return people.operator;
    },
    onBug: () => assert.fail('no bug'),
  });
  assert.equal((await app.inject('/open')).body, 'true');
  assert.equal((await app.inject('/twice')).body, 'true');
  assert.equal(requestCount, 1);
  await app.close();
});

test('an answer without a body has no Content-Type and a length of nothing; 204 has not even that', async () => {
  await using server = await serving(
    created('GET', '/empty', () => ({ status: 200 })),
    created('GET', '/none', () => ({ status: 204 })),
  );
  const empty = await server.raw('GET /empty HTTP/1.1');
  assert.match(empty, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(empty, /\r\ncontent-length: 0\r\n/i);
  assert.doesNotMatch(empty, /content-type|transfer-encoding/i);
  const none = await server.raw('GET /none HTTP/1.1');
  assert.match(none, /^HTTP\/1\.1 204 No Content\r\n/);
  assert.doesNotMatch(none, /content-type|content-length|transfer-encoding/i);
});

test('bytes and streams are sent as they are', async () => {
  const parts = async function* () {
    yield 'one ';
    yield Buffer.from('two');
  };
  const type = { 'content-type': 'text/plain' };
  await using server = await serving(
    created('GET', '/bytes', () => ({ status: 200, headers: type, body: Buffer.from([0, 255]) })),
    created('GET', '/stream', () => ({ status: 201, headers: type, body: parts() })),
  );
  const bytes = await fetch(`${server.origin}/bytes`);
  assert.deepEqual([...(await bytes.bytes())], [0, 255]);
  const stream = await server.ask('/stream');
  assert.deepEqual([stream.status, stream.body, stream.headers.get('content-type')], [201, 'one two', 'text/plain']);
});

test('a client that goes away aborts the request’s signal, one that stays does not', async () => {
  const signals: AbortSignal[] = [];
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  await using server = await serving(
    created('GET', '/long', async ({ signal }) => {
      signal.addEventListener('abort', () => abort());
      begin();
      await aborted;
      return { status: 200 };
    }),
    created('GET', '/short', ({ signal }) => {
      signals.push(signal);
      return { status: 200 };
    }),
  );
  const { port, hostname } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
  await started;
  socket.destroy();
  await Promise.all([aborted, once(socket, 'close')]);

  await server.raw('GET /short HTTP/1.1');
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [false],
  );
});
