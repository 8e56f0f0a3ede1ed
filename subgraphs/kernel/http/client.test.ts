import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { test } from 'node:test';
import type { Destination, Egress } from '../system/egress.ts';
import { openEgress } from '../system/egress.ts';
import { createHttpClient, type HttpRequest } from './client.ts';
import { failureOf } from './failure.ts';

const listen = async (listener: RequestListener) => {
  const server: Server = createServer(listener);
  await new Promise<void>((finished) => server.listen(0, '127.0.0.1', finished));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((finished) => server.close(finished));
    },
  };
};

const clientOf = (egress: Egress = openEgress) => {
  const client = createHttpClient({ egress });
  return { ...client, [Symbol.asyncDispose]: () => client.close() };
};

const ask = (url: string, overrides: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  correlationId: 'c-1',
  ...overrides,
});

/** Allows what `allows` says and remembers every question. */
const recording = (allows: (destination: Destination) => boolean) => {
  const requests: Destination[] = [];
  const egress: Egress = {
    decide(destination) {
      requests.push(destination);
      return allows(destination) ? { allowed: true } : { allowed: false, reason: 'sealed' };
    },
  };
  return { asked: requests, egress };
};

// spec: 5/correlation-id
test('an answer of any status is a response, and the correlation id goes with the request', async () => {
  await using server = await listen((request, response) => {
    response.writeHead(418, { 'x-seen': request.headers['x-svc-correlation-id'] });
    request.pipe(response);
  });
  await using client = clientOf();
  const answer = await client.send(ask(`${server.url}/a?b=c`, { method: 'POST', body: 'tea' }));
  assert.ok(answer.kind === 'response');
  assert.deepEqual([answer.status, answer.headers['x-seen'], answer.body.toString()], [418, 'c-1', 'tea']);
});

test('what the policy refuses is never connected to', async () => {
  let requests = 0;
  await using server = await listen((_, response) => {
    requests += 1;
    response.end();
  });
  const { asked: requestList, egress } = recording(() => false);
  await using client = clientOf(egress);
  const answer = await client.send(ask(server.url));
  assert.equal(answer.kind, 'refused-by-policy');
  assert.equal(requests, 0);
  const destination = {
    host: '127.0.0.1',
    port: server.port,
    transport: 'http',
    tenant: undefined,
    namedBy: undefined,
    feature: undefined,
  };
  assert.deepEqual(requestList, [destination]);
});

test('an address that a name resolves to is asked about, and refusing it refuses the request', async () => {
  await using server = await listen((_, response) => response.end('in'));
  const { asked: requests, egress } = recording(({ address }) => address === undefined);
  await using client = clientOf(egress);
  const answer = await client.send(ask(`http://localhost:${server.port}`));
  assert.equal(answer.kind, 'refused-by-policy');
  assert.ok(requests.some(({ host, address }) => host === 'localhost' && address === '127.0.0.1'));
});

test('a name whose addresses are allowed is reached', async () => {
  await using server = await listen((_, response) => response.end('in'));
  await using client = clientOf();
  const answer = await client.send(ask(`http://localhost:${server.port}`));
  assert.ok(answer.kind === 'response');
  assert.equal(answer.body.toString(), 'in');
});

test('a redirect is an answer unless it is asked for, and each hop is a new decision', async () => {
  await using target = await listen(({ headers }, response) =>
    response.end(JSON.stringify([headers.authorization, headers['private-token'], headers.accept])),
  );
  await using server = await listen((_, response) => response.writeHead(307, { location: `${target.url}/blob` }).end());
  const { asked: requests, egress } = recording(() => true);
  await using client = clientOf(egress);
  const plain = await client.send(ask(server.url));
  assert.ok(plain.kind === 'response' && plain.status === 307);

  const followed = await client.send(
    ask(server.url, { redirects: 1, headers: { authorization: 'Bearer x', 'private-token': 'x', accept: 'a/b' } }),
  );
  assert.ok(followed.kind === 'response');
  assert.equal(followed.body.toString(), '[null,null,"a/b"]', 'credentials stay with their origin');
  assert.equal(followed.url, `${target.url}/blob`);
  assert.deepEqual(
    requests.flatMap(({ port, isAgain }) => (isAgain ? [] : port)),
    [server.port, server.port, target.port],
  );
});

test('a redirect to another scheme is refused, and a POST is never sent again', async () => {
  await using server = await listen((_, response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end());
  await using client = clientOf();
  assert.equal((await client.send(ask(server.url, { redirects: 5 }))).kind, 'refused-by-policy');
  const posted = await client.send(ask(server.url, { method: 'POST', redirects: 5 }));
  assert.ok(posted.kind === 'response' && posted.status === 302);
});

test('plain HTTP leaves this machine only when that is said', async () => {
  await using client = clientOf({ decide: () => ({ allowed: false, reason: 'asked the policy' }) });
  const plain = await client.send(ask('http://registry.invalid/'));
  assert.ok(plain.kind === 'refused-by-policy');
  assert.match(plain.message, /needs https/);
  const expected = await client.send(ask('http://registry.invalid/', { plainHttp: 'anywhere' }));
  assert.ok(expected.kind === 'refused-by-policy');
  assert.equal(expected.message, 'asked the policy');
});

test('addresses that cannot be read, carry credentials or are no HTTP are refused', async () => {
  await using client = clientOf();
  for (const url of ['', 'http://', 'https://u:p@example.com/', 'file:///etc/passwd', 'gopher://localhost/'])
    assert.equal((await client.send(ask(url))).kind, 'refused-by-policy', url);
});

test('a body past the limit ends in too-large, whether its length was declared or not', async () => {
  await using server = await listen((request, response) => {
    if (request.url === '/declared') response.setHeader('content-length', 2_000);
    response.write('x'.repeat(1_000));
    response.end('x'.repeat(1_000));
  });
  await using client = clientOf();
  for (const path of ['/declared', '/chunked'])
    assert.equal((await client.send(ask(server.url + path, { maxBytes: 1_999 }))).kind, 'too-large', path);
  assert.equal((await client.send(ask(`${server.url}/chunked`, { maxBytes: 2_000 }))).kind, 'response');
});

test('a stream that grows past the limit fails where it is read, and can be left unread', async () => {
  await using server = await listen((_, response) => response.end('x'.repeat(100_000)));
  await using client = clientOf();
  const answer = await client.stream(ask(server.url, { maxBytes: 10 }));
  assert.ok(answer.kind === 'response');
  await assert.rejects(answer.body.toArray(), (error) => failureOf(error).kind === 'too-large');
  const unread = await client.stream(ask(server.url));
  assert.ok(unread.kind === 'response');
  unread.body.destroy();
});

test('no answer in time is a timeout; giving up is not', async () => {
  await using server = await listen(() => undefined);
  await using client = clientOf();
  assert.equal((await client.send(ask(server.url, { timeouts: { total: 30 } }))).kind, 'timeout');
  assert.equal(
    (await client.send(ask(server.url, { signal: AbortSignal.abort(new Error('enough')) }))).kind,
    'aborted',
  );
});

test('a closed port is a connection failure, an unknown name a DNS failure, a plain answer to TLS a TLS failure', async () => {
  const removed = await listen(() => undefined);
  await removed[Symbol.asyncDispose]();
  await using client = clientOf();
  assert.equal((await client.send(ask(removed.url))).kind, 'connection');
  assert.equal((await client.send(ask('https://no-such-name.invalid/'))).kind, 'dns');
  await using server = await listen((_, response) => response.end());
  assert.equal((await client.send(ask(server.url.replace('http:', 'https:')))).kind, 'tls');
});

test('a header that could split the request is a bug of ours and thrown', async () => {
  await using server = await listen((_, response) => response.end());
  await using client = clientOf();
  await assert.rejects(client.send(ask(server.url, { headers: { 'x-a': 'b\r\nc: d' } })), /header/);
});
