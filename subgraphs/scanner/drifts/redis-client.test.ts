import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createConnect } from '@landfall/kernel/system/connect';
import { type Destination, openEgress } from '@landfall/kernel/system/egress';
import { selfSigned } from '@landfall/kernel/testing/certificates';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { until } from '@landfall/kernel/testing/until';
import { startRedisServer } from '../testing/redis-server.ts';
import { createRedisClient } from './redis-client.ts';

const timeoutMs = 30_000;
const connect = createConnect(openEgress);

/** Program of a server that this machine has. */
const program = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0);

/** Server over a socket that sends a text to each client. */
const talker = async (text: string) => {
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .resume()
        .end(text),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
};

test('a client logs in with the user and password of its address, and selects the database', async () => {
  await using server = await startRedisServer({ clock: fixedClock(), login: ['graphs', 'p@ss'] });
  const client = createRedisClient(`redis://graphs:p%40ss@${server.host}/3`, { timeoutMs, connect });
  await client.set('key', Buffer.from('value'), 10);
  assert.deepEqual(server.commands, ['AUTH graphs', 'SELECT 3', 'SET key']);
  const stranger = createRedisClient(`redis://graphs:other@${server.host}`, { timeoutMs, connect });
  await assert.rejects(stranger.get('key', 100), /refuses: WRONGPASS/);
});

test('a client reads a value whole, and refuses one that is larger than was said', async () => {
  await using server = await startRedisServer({ clock: fixedClock() });
  const client = createRedisClient(server.url, { timeoutMs, connect });
  const value = randomBytes(3_000_000);
  await client.set('key', value, 10);
  assert.deepEqual(await client.get('key', value.length), value);
  await assert.rejects(client.get('key', value.length - 1), /3000000 bytes, more than 2999999/);
  assert.equal(await client.get('other', 100), null);
});

test('a client refuses what does not speak the protocol, and an answer that is cut off', async () => {
  for (const [text, message] of [
    ['HTTP/1.1 400 Bad Request\r\n\r\n', /does not speak/],
    ['x'.repeat(10_000), /does not speak/],
    ['$10\r\nabc', /ended the connection/],
    ['', /ended the connection/],
  ] as const) {
    await using server = await talker(text);
    await assert.rejects(
      createRedisClient(`redis://127.0.0.1:${server.port}`, { timeoutMs, connect }).get('key', 100),
      message,
    );
  }
});

test('a client connects as traffic of no tenant, and not at all where the egress policy blocks its server', async () => {
  await using server = await startRedisServer({ clock: fixedClock() });
  const asked: Destination[] = [];
  const sealed = createConnect({
    decide(destination) {
      asked.push(destination);
      return { allowed: false, reason: 'sealed' };
    },
  });
  const client = createRedisClient(server.url, { timeoutMs, connect: sealed });
  await assert.rejects(client.get('key', 100), { code: 'EGRESS_REFUSED' });
  assert.equal(server.connections(), 0);
  assert.deepEqual(
    asked.map(({ tenant, transport }) => [tenant, transport]),
    [[undefined, 'tcp']],
  );
});

test('a client gives up a call whose answer does not come', async () => {
  await using server = await startRedisServer({ clock: fixedClock() });
  server.become('silent');
  await assert.rejects(createRedisClient(server.url, { timeoutMs: 20, connect }).get('key', 100), {
    name: 'AbortError',
  });
});

/** Port that no server has. */
const freePort = async (): Promise<number> => {
  await using free = await talker('');
  return free.port;
};

const isAnswered = (client: ReturnType<typeof createRedisClient>): Promise<boolean> =>
  client.get('key', 100).then(
    () => true,
    () => false,
  );

/** A server of the protocol with these arguments, and without files. */
const startProgram = (...args: readonly string[]) => {
  const server = spawn(program ?? '', ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...args], {
    stdio: 'ignore',
  });
  return {
    async [Symbol.asyncDispose]() {
      if (server.exitCode !== null) return;
      server.kill();
      await once(server, 'exit');
    },
  };
};

const skip = program === undefined && 'neither valkey-server nor redis-server is installed';

test('values go to a server of the protocol and back', { skip }, async () => {
  const port = await freePort();
  await using _server = startProgram('--port', String(port));
  const client = createRedisClient(`redis://127.0.0.1:${port}/1`, { timeoutMs, connect });
  await until(() => isAnswered(client));
  const value = randomBytes(3_000_000);
  await client.set('key', value, 3_600);
  assert.deepEqual(await client.get('key', value.length), value);
  const other = createRedisClient(`redis://user:password@127.0.0.1:${port}`, { timeoutMs, connect });
  await assert.rejects(other.get('key', 100), /refuses: WRONGPASS/);
});

/** Whether the program was built with TLS: otherwise it refuses the first of these settings, and with it the second. */
const hasTls =
  program !== undefined &&
  !/>>> 'tls-port/.test(String(spawnSync(program, ['--tls-port', '0', '--no-such-setting', '1']).stderr));

test('over TLS values go to a server whose certificate is trusted and names it, and to no other', {
  skip: skip || (!hasTls && `${program} is built without TLS`),
}, async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-cache-'));
  context.after(() => rm(directory, { recursive: true }));
  const { key, cert } = selfSigned({ subject: '/CN=cache', alternatives: ['DNS:localhost'] });
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  await writeFile(keyFile, key);
  await writeFile(certificateFile, cert);
  const port = await freePort();
  await using _server = startProgram(
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-key-file', keyFile, '--tls-cert-file', certificateFile, '--tls-ca-cert-file', certificateFile],
  );
  const client = createRedisClient(`rediss://localhost:${port}/1`, { timeoutMs, connect });
  await until(() =>
    client.get('key', 100).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'DEPTH_ZERO_SELF_SIGNED_CERT',
    ),
  );
  const trusted = getCACertificates('default');
  context.after(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, cert]);
  const value = randomBytes(3_000_000);
  await client.set('key', value, 3_600);
  assert.deepEqual(await client.get('key', value.length), value);
  const unnamed = createRedisClient(`rediss://127.0.0.1:${port}`, { timeoutMs, connect });
  await assert.rejects(unnamed.get('key', 100), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const plain = createRedisClient(`redis://127.0.0.1:${port}`, { timeoutMs, connect });
  await assert.rejects(plain.get('key', 100), Error);
});
