import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, Agent as KeepingAgent, request, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createMetrics } from './metrics.ts';
import { openRouter, type Side } from './router.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const portOf = (server: { address(): unknown }): number => Number(Reflect.get(Object(server.address()), 'port'));

/** Starts a release: a server that answers its name unless the test gives it a handler. */
const release = async (t: TestContext, name: string, handler?: Handler) => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    if (handler) handler(request, response);
    else response.end(name);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, seen: requests, side: { port: portOf(server), digest: sha256(name) } satisfies Side };
};

const routerOf = async (t: TestContext) => {
  const metrics = createMetrics();
  const router = await openRouter(0, { target: 'target', component: 'web', metrics });
  t.after(() => router.close());
  return { ...router, metrics, url: `http://127.0.0.1:${router.port}` };
};

const servedBy = async (t: TestContext, handler?: Handler) => {
  const router = await routerOf(t);
  const current = await release(t, 'current', handler);
  router.route({ component: 'web', current: current.side, candidate: undefined, weight: 0 });
  return { ...router, current };
};

const get = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(url, { headers })).text();

/** Sends raw bytes and returns everything received until the connection ends. */
const raw = async (port: number, ...parts: readonly string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  for (const part of parts) {
    socket.write(part, 'latin1');
    await sleep(20);
  }
  return textOf(socket);
};

test('of a thousand requests without stickiness exactly the weight goes to the candidate', async (t) => {
  const router = await routerOf(t);
  const current = await release(t, 'current');
  const candidate = await release(t, 'candidate');
  const agent = new KeepingAgent({ keepAlive: true, maxSockets: 16 });
  t.after(() => agent.destroy());
  for (const weight of [1, 10, 37, 50, 99]) {
    router.route({ component: 'web', current: current.side, candidate: candidate.side, weight });
    candidate.seen.length = 0;
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        request(router.url, { agent }, (answer) => answer.resume().once('end', resolve))
          .once('error', reject)
          .end();
      });
    await Promise.all(Array.from({ length: 1_000 }, ask));
    assert.equal(candidate.seen.length, weight * 10);
  }
});

test('a client with the sticky header or cookie always meets the same release', async (t) => {
  const router = await routerOf(t);
  const current = await release(t, 'current');
  const candidate = await release(t, 'candidate');
  router.route({ component: 'web', current: current.side, candidate: candidate.side, weight: 50 });
  for (const value of ['one', 'two', 'three', 'four', 'five', 'six']) {
    const met = new Set<string>();
    for (let i = 0; i < 5; i++) {
      met.add(await get(router.url, { 'landfall-sticky': value }));
      met.add(await get(router.url, { cookie: `landfall_sticky=${value}` }));
    }
    assert.equal(met.size, 1, value);
  }
});

test('without any release the answer is 503, with a dead one 502, and a first candidate serves alone', async (t) => {
  const router = await routerOf(t);
  const candidate = await release(t, 'candidate');
  assert.equal((await fetch(router.url)).status, 503);
  router.route({ component: 'web', current: undefined, candidate: candidate.side, weight: 0 });
  assert.equal((await fetch(router.url)).status, 503);
  router.route({ component: 'web', current: undefined, candidate: candidate.side, weight: 10 });
  for (let i = 0; i < 20; i++) assert.equal(await get(router.url), 'candidate');
  const closed = createTcpServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const removed = portOf(closed);
  closed.close();
  router.route({
    component: 'web',
    current: { port: removed, digest: sha256('gone') },
    candidate: undefined,
    weight: 0,
  });
  assert.equal((await fetch(router.url)).status, 502);
  assert.equal((await fetch(router.url, { method: 'POST', body: 'x'.repeat(100_000) })).status, 502);
});

test('bodies of many megabytes pass whole in both directions, with a length and in chunks', async (t) => {
  const router = await servedBy(t, (request, response) => {
    const length = request.headers['content-length'];
    if (length !== undefined) response.setHeader('content-length', length);
    request.pipe(response);
  });
  const body = randomBytes(16 * 1024 * 1024);
  const hash = createHash('sha256').update(body).digest('hex');
  for (const isChunked of [false, true]) {
    const out = request(router.url, {
      method: 'POST',
      headers: isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) },
    });
    const answered = once(out, 'response');
    out.end(body);
    const [answer] = await answered;
    const hasher = createHash('sha256');
    for await (const chunk of answer) hasher.update(chunk);
    assert.equal(hasher.digest('hex'), hash);
    assert.equal(answer.headers['content-length'], isChunked ? undefined : String(body.length));
  }
});

test('an answer is passed on while it is being written', async (t) => {
  let end: (() => void) | undefined;
  const router = await servedBy(t, (_request, response) => {
    response.write('first\n');
    end = () => response.end('last\n');
  });
  const { body } = await fetch(router.url);
  const reader = body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'first\n');
  end?.();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'last\n');
});

test('a slow client is waited for and holds back nobody else', async (t) => {
  const router = await servedBy(t, async (request, response) => {
    const body = await textOf(request);
    response.end(`${body.length}`);
  });
  const slow = raw(
    router.port,
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Le',
    'ngth: 4\r\n\r\na',
    'bc',
    'd',
  );
  assert.equal(await get(router.url), '0');
  assert.match(await slow, /^HTTP\/1\.1 200 OK.*\r\n(?:1\r\n)?4(?:\r\n|$)/s);
});

test('HEAD, 204 and 304 have no body, and the length that HEAD tells is kept', async (t) => {
  const router = await servedBy(t, (request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '1234', date: 'never' }).end();
    else response.writeHead(request.url === '/304' ? 304 : 204, { etag: '"e"' }).end();
  });
  const head = await fetch(router.url, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), '1234');
  assert.equal(head.headers.get('date'), 'never');
  for (const status of [204, 304]) {
    const answer = await raw(router.port, `GET /${status} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} .*\r\n\r\n$`, 's'));
    assert.doesNotMatch(answer, /transfer-encoding|content-length/i);
  }
});

test('hop-by-hop fields stay behind, and where a request comes from is told truthfully', async (t) => {
  const router = await servedBy(t, (_request, response) => {
    response.writeHead(200, ['Connection', 'X-Own', 'X-Own', 'no', 'X-Twice', '1', 'X-Twice', '2']);
    response.end();
  });
  const head = [
    'GET /path?q HTTP/1.1',
    'Host: shop.example',
    'Connection: close, X-Private',
    'X-Private: no',
    'Keep-Alive: 5',
    'TE: trailers',
    'Proxy-Authorization: no',
    'X-Forwarded-For: 192.0.2.1',
    'X-Kept: Yes',
  ];
  const answer = await raw(router.port, `${head.join('\r\n')}\r\n\r\n`);
  const { headers, url } = router.current.seen[0] ?? assert.fail();
  assert.equal(url, '/path?q');
  for (const name of ['x-private', 'te', 'proxy-authorization', 'keep-alive']) assert.equal(headers[name], undefined);
  assert.deepEqual(
    [headers.host, headers['x-kept'], headers['x-forwarded-for'], headers['x-forwarded-proto'], headers.via],
    ['shop.example', 'Yes', '192.0.2.1, 127.0.0.1', 'http', '1.1 landfall'],
  );
  assert.equal(headers['x-forwarded-host'], 'shop.example');
  assert.doesNotMatch(answer, /X-Own/);
  assert.match(answer, /X-Twice: 1\r\nX-Twice: 2/);
});

test('what a proxy before us said of scheme and host is kept', async (t) => {
  const router = await servedBy(t);
  await get(router.url, { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' });
  const { headers } = router.current.seen[0] ?? assert.fail();
  assert.deepEqual([headers['x-forwarded-proto'], headers['x-forwarded-host']], ['https', 'shop.example']);
});

for (const [name, head] of [
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n'],
  ['two lengths in one field', 'Content-Length: 4, 5\r\n'],
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
  ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n'],
  ['a length with a sign', 'Content-Length: +4\r\n'],
  ['blanks before the colon', 'Content-Length : 4\r\n'],
  ['a folded field', 'X-Folded: a\r\n Transfer-Encoding: chunked\r\n'],
  ['a bare line feed', 'X-Own: a\nTransfer-Encoding: chunked\r\n'],
] as const)
  test(`a request with ${name} reaches no release`, async (t) => {
    const router = await servedBy(t);
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n';
    const answer = await raw(router.port, `POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n0\r\n\r\n${hidden}`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.deepEqual(router.current.seen, []);
  });

test('a field that Connection names cannot take the length of the body away', async (t) => {
  const router = await servedBy(t, async (request, response) => response.end(await textOf(request)));
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close, content-length\r\nContent-Length: 4\r\n\r\n';
  assert.match(await raw(router.port, `${head}abcd`), /abcd/);
});

test('a request that names another host as its path is refused', async (t) => {
  const router = await servedBy(t);
  const ask = 'GET http://elsewhere/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  assert.match(await raw(router.port, ask), /^HTTP\/1\.1 400 /);
  assert.deepEqual(router.current.seen, []);
});

test('a client that asks first is told by the release whether to send', async (t) => {
  const router = await routerOf(t);
  const current = await release(t, 'current', async (request, response) => response.end(await textOf(request)));
  current.server.on('checkContinue', (request, response) => {
    if (request.url === '/no') response.writeHead(417).end();
    else {
      response.writeContinue();
      current.server.emit('request', request, response);
    }
  });
  router.route({ component: 'web', current: current.side, candidate: undefined, weight: 0 });
  const ask = async (path: string) => {
    const out = request(`${router.url}${path}`, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': '4' },
    });
    out.once('continue', () => out.end('body'));
    out.on('error', () => undefined);
    const [answer] = await once(out, 'response');
    out.destroy();
    return answer.statusCode;
  };
  assert.deepEqual([await ask('/yes'), await ask('/no')], [200, 417]);
});

test('a client that goes away ends the work of the release', async (t) => {
  const { promise: isRemoved, resolve } = Promise.withResolvers<void>();
  const router = await servedBy(t, (request, response) => {
    response.write('some');
    request.once('close', resolve);
  });
  const out = request(router.url).end();
  out.on('error', () => undefined);
  const [answer] = await once(out, 'response');
  answer.on('error', () => undefined);
  out.destroy();
  await isRemoved;
});

test('an answer that breaks off is not taken for a whole one', async (t) => {
  const router = await servedBy(t, (_request, response) => {
    response.write('some');
    setImmediate(() => response.destroy());
  });
  await assert.rejects(get(router.url));
});

test('a release that breaks off before it answers is 502, and so is one that answers no HTTP', async (t) => {
  const router = await servedBy(t, (request) => request.socket.destroy());
  assert.equal((await fetch(router.url)).status, 502);
  const malformedServer = createTcpServer((socket) => socket.end('hello\r\n\r\n')).listen(0, '127.0.0.1');
  await once(malformedServer, 'listening');
  t.after(() => malformedServer.close());
  router.route({
    component: 'web',
    current: { port: portOf(malformedServer), digest: sha256('b') },
    candidate: undefined,
    weight: 0,
  });
  assert.equal((await fetch(router.url)).status, 502);
});

test('a connection that the release closed meanwhile is no failure of the client', async (t) => {
  const router = await servedBy(t);
  for (let i = 0; i < 5; i++) {
    assert.equal(await get(router.url), 'current');
    router.current.server.closeIdleConnections();
  }
  for (let i = 0; i < 5; i++) {
    assert.equal((await fetch(router.url, { method: 'POST', body: 'x' })).status, 200);
    router.current.server.closeIdleConnections();
  }
});

test('a switch holds from the next request on, and what is under way ends where it began', async (t) => {
  const router = await routerOf(t);
  let end: (() => void) | undefined;
  const old = await release(t, 'old', (_request, response) => {
    response.write('old ');
    end = () => response.end('to the end');
  });
  const next = await release(t, 'new');
  router.route({ component: 'web', current: old.side, candidate: undefined, weight: 0 });
  const started = await fetch(router.url);
  router.route({ component: 'web', current: next.side, candidate: undefined, weight: 0 });
  assert.equal(await get(router.url), 'new');
  let isDrained = false;
  const drained = router.drained(old.side.port, 5_000).then(() => {
    isDrained = true;
  });
  assert.equal(await get(router.url), 'new');
  assert.equal(isDrained, false);
  end?.();
  assert.equal(await started.text(), 'old to the end');
  await drained;
});

test('a request that never ends is waited for only so long', async (t) => {
  const router = await servedBy(t, (_request, response) => void response.write('for ever'));
  const answer = await fetch(router.url);
  await router.drained(router.current.side.port, 30);
  await answer.body?.cancel();
});

/** Starts a release that accepts upgrades and echoes in capitals. */
const startUpgradeServer = async (t: TestContext, name: string) => {
  const it = await release(t, name);
  it.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    it.seen.push(request);
    if (request.url === '/refused') {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\nX-From: ${name}\r\n\r\n`,
    );
    if (head.length > 0) socket.write(head.toString().toUpperCase());
    socket.on('data', (chunk) => socket.write(String(chunk).toUpperCase()));
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined);
  });
  return it;
};

const upgrade = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: shout\r\nSec-WebSocket-Key: k\r\n\r\n`;

test('a connection that changes its protocol is carried both ways and stays with its release', async (t) => {
  const router = await routerOf(t);
  const old = await startUpgradeServer(t, 'old');
  const next = await startUpgradeServer(t, 'new');
  router.route({ component: 'web', current: old.side, candidate: undefined, weight: 0 });
  const socket = connect(router.port, '127.0.0.1').setEncoding('utf8');
  socket.write(`${upgrade('/socket')}early `);
  let text = '';
  const until = async (expected: string) => {
    while (!text.includes(expected)) text += (await once(socket, 'data'))[0];
  };
  await until('EARLY ');
  assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\nX-From: old\r\n/);
  assert.equal(old.seen[0]?.headers['sec-websocket-key'], 'k');
  router.route({ component: 'web', current: next.side, candidate: undefined, weight: 0 });
  socket.write('late');
  await until('LATE');
  assert.deepEqual(next.seen, []);
  await router.drained(old.side.port, 5_000);
  const exited = once(socket, 'close');
  old.server.closeAllConnections();
  for (const request of old.seen) request.socket.destroy();
  await exited;
});

test('a change of protocol that the release refuses ends the connection, and nothing is smuggled through it', async (t) => {
  const router = await routerOf(t);
  const it = await startUpgradeServer(t, 'current');
  router.route({ component: 'web', current: it.side, candidate: undefined, weight: 0 });
  const answer = await raw(router.port, upgrade('/refused'), 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 403 Forbidden.*no$/s);
  assert.deepEqual(
    it.seen.map(({ url }) => url),
    ['/refused'],
  );
});

test('HTTP/2 is not begun inside a connection, and such a request is an ordinary one', async (t) => {
  const router = await servedBy(t);
  const head = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n';
  assert.match(await raw(router.port, head), /^HTTP\/1\.1 200 OK.*current/s);
  assert.equal(router.current.seen[0]?.headers.upgrade, undefined);
});

test('what it carried is counted by the release that answered, and the last but one is forgotten', async (t) => {
  const router = await routerOf(t);
  assert.equal((await fetch(router.url)).status, 503);
  const [one, two, three] = [await release(t, 'one'), await release(t, 'two'), await release(t, 'three')];
  router.route({ component: 'web', current: one.side, candidate: two.side, weight: 50 });
  for (let i = 0; i < 10; i++) await get(router.url);
  const line = (role: string, name: string) =>
    `landfall_agent_requests_total{target="target",component="web",role="${role}",digest="${name}",code="200"}`;
  const short = (side: Side) => side.digest.slice('sha256:'.length).slice(0, 12);
  assert.ok(router.metrics.text().includes(`${line('current', short(one.side))} 5\n`));
  assert.ok(router.metrics.text().includes(`${line('candidate', short(two.side))} 5\n`));
  assert.match(router.metrics.text(), /role="none",digest="",code="503"} 1/);
  router.route({ component: 'web', current: two.side, candidate: undefined, weight: 0 });
  assert.ok(router.metrics.text().includes(short(one.side)), 'once more');
  router.route({ component: 'web', current: three.side, candidate: undefined, weight: 0 });
  assert.ok(!router.metrics.text().includes(short(one.side)));
});

test('a port in use is refused', async (t) => {
  const router = await routerOf(t);
  await assert.rejects(
    openRouter(router.port, { target: 't', component: 'web', metrics: router.metrics }),
    /cannot listen on 127.0.0.1/,
  );
});
