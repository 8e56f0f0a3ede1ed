import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:https';
import { after, test } from 'node:test';
import { createTenants } from '@landfall/authority';
import { type Certificate, createClientCertificates, thumbprintOf } from '@landfall/kernel/http/client-certificates';
import { createProxies } from '@landfall/kernel/http/proxies';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { type Pair, selfSigned, signedBy } from '@landfall/kernel/testing/certificates';
import Fastify from 'fastify';
import { authorityApp, basic } from '../testing/authority-app.ts';
import { authorityRoutes } from './authority.ts';

const app = await authorityApp();
after(() => app[Symbol.asyncDispose]());
// Certificates are of today, and begin a moment after this.
await app.clock.advance(Date.now() + 60_000 - app.clock.now().getTime());

const tenants = createTenants(app.deps, 'operator');

const roots = selfSigned({ subject: '/CN=roots', isAuthority: true });
const host = selfSigned({ subject: '/CN=localhost', alternatives: ['DNS:localhost'] });
const named = signedBy(roots, { subject: '/O=Acme/CN=pipeline', alternatives: ['DNS:pipeline.example'] });
const otherName = signedBy(roots, { subject: '/O=Acme/CN=other', alternatives: ['DNS:other.example'] });
const impostor = selfSigned({ subject: '/O=Acme/CN=pipeline', alternatives: ['DNS:pipeline.example'] });
const own = selfSigned({ subject: '/CN=own' });
const otherCertificate = selfSigned({ subject: '/CN=own' });

const server = createServer({
  cert: host.cert,
  key: host.key,
  ca: [roots.cert],
  requestCert: true,
  rejectUnauthorized: false,
});
const bugs: unknown[] = [];
const listener = Fastify({
  genReqId: () => app.deps.ids.uuid(),
  serverFactory: (handler) => server.on('request', handler),
});
const learn = createClientCertificates(
  { proxies: createProxies([]), header: 'x-client-cert', roots: roots.cert },
  () => new Date(),
);
await registerRoutes(listener, authorityRoutes(app.authority), {
  clock: app.deps.clock,
  ids: app.deps.ids,
  onBug: (error) => bugs.push(error),
  callerOf: () => Promise.reject(new TypeError('nobody asks')),
  certificateOf: ({ raw }) => learn(raw),
});
await listener.ready();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.closeAllConnections();
  server.close();
});
const address = server.address();
const port = typeof address === 'object' && address ? address.port : 0;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A request over TLS, with a client's certificate or without. */
const post = async (form: object | string, by?: Pair, headers: readonly string[] = [], path = '/token') => {
  const body = typeof form === 'string' ? form : String(new URLSearchParams({ ...form }));
  const request = send({
    ...{ host: '127.0.0.1', port, path, method: 'POST', ca: host.cert, servername: 'localhost', agent: false },
    ...(by && { cert: by.cert, key: by.key }),
    headers: [
      ...['Host', `localhost:${port}`, 'Content-Type', 'application/x-www-form-urlencoded'],
      ...['Content-Length', String(Buffer.byteLength(body)), ...headers],
    ],
  });
  const [response] = await once(request.end(body), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  const answer: Answer = {
    status: response.statusCode,
    body: text === '' ? {} : JSON.parse(text),
    headers: response.headers,
  };
  return answer;
};

const secret = 's'.repeat(43);
const register = (name: string, overrides: object = {}) =>
  app.authority.bootstrap.ensureClient({
    ...{ tenant: 'acme', name, secret, grants: ['client_credentials'], scopes: ['orch:read'] },
    ...overrides,
  });

const byName = await register('by-name', {
  authMethods: ['tls_client_auth'],
  tlsSubject: { kind: 'subject_dn', value: 'CN=pipeline,O=Acme' },
});
const byAlternative = await register('by-alternative', {
  authMethods: ['tls_client_auth'],
  tlsSubject: { kind: 'san_dns', value: 'pipeline.example' },
});
const byItself = await register('by-itself', {
  authMethods: ['self_signed_tls_client_auth'],
  certificates: [own.cert],
});
const bySecret = await register('by-secret');
const byPost = await register('by-post', { authMethods: ['client_secret_post'] });

const credentials = (id: string) => ({ grant_type: 'client_credentials', client_id: id });
const errorOf = ({ status, body }: Answer): string => `${status} ${body.error ?? 'ok'}`;

test('a client is known by a certificate with a good chain and its name', async () => {
  for (const id of [byName, byAlternative]) {
    assert.equal(errorOf(await post(credentials(id), named)), '200 ok');
    for (const wrong of [undefined, otherName, impostor, own])
      assert.equal(
        errorOf(await post(credentials(id), wrong)),
        '401 invalid_client',
        wrong?.x509.subject ?? 'no certificate',
      );
  }
});

test('a client is known by the certificate that it registered, whose chain nobody asks for', async () => {
  assert.equal(errorOf(await post(credentials(byItself), own)), '200 ok');
  for (const wrong of [undefined, otherCertificate, named])
    assert.equal(
      errorOf(await post(credentials(byItself), wrong)),
      '401 invalid_client',
      wrong?.x509.subject ?? 'no certificate',
    );
});

test('a certificate that has run out lets nobody in', async () => {
  await app.clock.advance(20 * 86_400_000);
  assert.equal(errorOf(await post(credentials(byItself), own)), '401 invalid_client');
  await app.clock.advance(-20 * 86_400_000);
});

test('who is registered for certificates cannot use a secret, and the reverse', async () => {
  for (const id of [byName, byItself])
    for (const by of [undefined, named, own]) {
      assert.equal(errorOf(await post({ ...credentials(id), client_secret: secret }, by)), '401 invalid_client');
      const header = ['Authorization', basic({ id, secret })];
      assert.equal(errorOf(await post({ grant_type: 'client_credentials' }, by, header)), '401 invalid_client');
    }
  for (const by of [named, own]) assert.equal(errorOf(await post(credentials(bySecret), by)), '401 invalid_client');
  assert.equal(errorOf(await post({ ...credentials(byPost), client_secret: secret })), '200 ok');
  const header = ['Authorization', basic({ id: byPost, secret })];
  assert.equal(errorOf(await post({ grant_type: 'client_credentials' }, undefined, header)), '401 invalid_client');
});

test('a certificate beside a secret is no second method', async () => {
  assert.equal(errorOf(await post({ ...credentials(bySecret), client_secret: secret }, own)), '200 ok');
});

test('the header of a proxy is nothing from somebody who is none', async () => {
  const header = ['X-Client-Cert', encodeURIComponent(own.cert)];
  assert.equal(errorOf(await post(credentials(byItself), undefined, header)), '401 invalid_client');
  assert.equal(errorOf(await post(credentials(byItself), otherCertificate, header)), '401 invalid_client');
});

test('two methods, two headers or two clients at once are refused as such', async () => {
  const good = basic({ id: bySecret, secret });
  const grant = { grant_type: 'client_credentials' };
  const wrong: Record<string, [object | string, readonly string[], string]> = {
    'two Authorization headers': [grant, ['Authorization', good, 'Authorization', good], '400 invalid_request'],
    'Basic and a secret': [{ ...grant, client_secret: secret }, ['Authorization', good], '400 invalid_request'],
    'Basic and another client': [credentials(byPost), ['Authorization', good], '400 invalid_request'],
    'two ids': [`grant_type=client_credentials&client_id=${bySecret}&client_id=${byPost}`, [], '400 invalid_request'],
    'two secrets': [`client_id=${bySecret}&client_secret=a&client_secret=${secret}`, [], '400 invalid_request'],
    'no client': [grant, [], '401 invalid_client'],
    'a client without proof': [credentials(bySecret), [], '401 invalid_client'],
    'an empty secret': [{ ...credentials(bySecret), client_secret: '' }, [], '401 invalid_client'],
    'a wrong secret': [{ ...credentials(bySecret), client_secret: `${secret}x` }, [], '401 invalid_client'],
    'a secret of 100 kB': [{ ...credentials(bySecret), client_secret: 'x'.repeat(60_000) }, [], '401 invalid_client'],
    'an id that is none': [{ ...credentials('../acme'), client_secret: secret }, [], '401 invalid_client'],
    'another scheme': [grant, ['Authorization', `Bearer ${secret}`], '401 invalid_client'],
    'Basic of nothing': [grant, ['Authorization', 'Basic '], '401 invalid_client'],
    'Basic that is no base64': [grant, ['Authorization', 'Basic ***'], '401 invalid_client'],
    'Basic without a colon': [
      grant,
      ['Authorization', `Basic ${Buffer.from(bySecret).toString('base64')}`],
      '401 invalid_client',
    ],
    'Basic with a broken escape': [
      grant,
      ['Authorization', `Basic ${Buffer.from(`${bySecret}:%zz`).toString('base64')}`],
      '401 invalid_client',
    ],
    'Basic of other bytes': [
      grant,
      ['Authorization', `Basic ${Buffer.of(255, 58, 254).toString('base64')}`],
      '401 invalid_client',
    ],
  };
  for (const [name, [form, headers, expected]] of Object.entries(wrong)) {
    const answer = await post(form, undefined, headers);
    assert.equal(errorOf(answer), expected, name);
    assert.equal(answer.headers['cache-control'], 'no-store', name);
    if (answer.status === 401) assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/, name);
  }
  assert.deepEqual(bugs, []);
});

test('a client or a tenant that is stopped is no client any more, whatever it brings', async () => {
  const id = await register('stopped', { authMethods: ['self_signed_tls_client_auth'], certificates: [own.cert] });
  assert.equal(errorOf(await post(credentials(id), own)), '200 ok');
  const { token } = { token: (await post(credentials(id), own)).body.access_token };
  await tenants.stop('acme');
  assert.equal(errorOf(await post(credentials(id), own)), '401 invalid_client');
  assert.equal(errorOf(await post({ ...credentials(bySecret), client_secret: secret })), '401 invalid_client');
  await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_REVOKED' });
  await tenants.resume('acme');
  assert.equal(errorOf(await post(credentials(id), own)), '200 ok');
  assert.equal((await app.callerOf(token)).clientId, id);
});

test('eight clients at once are each themselves', async () => {
  const request = Array.from({ length: 24 }, async (_, index) => {
    const [id, by] =
      [
        [byName, named],
        [byItself, own],
        [bySecret, undefined],
      ][index % 3] ?? [];
    const body = { ...credentials(String(id)), ...(id === bySecret && { client_secret: secret }) };
    const answer = await post(body, typeof by === 'object' ? by : undefined);
    const { clientId } = await app.callerOf(answer.body.access_token).catch(() => ({ clientId: 'bound' }));
    return [answer.status, clientId === id];
  });
  for (const answer of await Promise.all(request)) assert.deepEqual(answer, [200, true]);
});

test('a token of a client that must be bound to its certificate carries its thumbprint', async () => {
  const id = await register('bound', { tlsBound: true });
  const form = { ...credentials(id), client_secret: secret };
  assert.equal(errorOf(await post(form)), '400 invalid_request');
  const answer = await post(form, otherCertificate);
  const [, claims = ''] = String(answer.body.access_token).split('.');
  const certificate: Pick<Certificate, 'raw'> = otherCertificate.x509;
  assert.deepEqual(JSON.parse(Buffer.from(claims, 'base64url').toString()).cnf, {
    'x5t#S256': thumbprintOf(certificate),
  });
});
