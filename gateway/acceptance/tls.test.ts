import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as send } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { authorityModule } from '@landfall/authority';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { type Pair, selfSigned, signedBy } from '@landfall/kernel/testing/certificates';
import { athOf, proofBy, proofKey } from '@landfall/kernel/testing/dpop';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { startApp } from '../app.ts';
import { visit } from '../demo/browser.ts';
import { createBackChannel } from '../http/back-channel.ts';
import { createTls } from '../http/tls.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { freePorts } from '../testing/processes.ts';
import { letTimePass } from '../testing/start.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

const dir = await mkdtemp(join(tmpdir(), 'landfall-tls-'));
stack.defer(() => rm(dir, { recursive: true, force: true }));
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};

// Both certificates are self-signed: only this test trusts them.
const issuer = selfSigned({ subject: '/CN=issuer', isAuthority: true });
const host = signedBy(issuer, { subject: '/CN=landfall', alternatives: ['DNS:localhost'] });
const roots = selfSigned({ subject: '/CN=roots', isAuthority: true });
const pipeline = signedBy(roots, { subject: '/CN=pipeline', alternatives: ['DNS:pipeline.example'] });
const otherCertificate = selfSigned({ subject: '/CN=stranger' });

const database = stack.use(await testDatabase());
await letTimePass(database.connection);
const [web, auth, agent, admin] = await freePorts(4);
const env = {
  DATABASE_URL: database.url,
  LANDFALL_DATA_DIR: dir,
  LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
  LANDFALL_PORT: String(web),
  LANDFALL_AUTH_PORT: String(auth),
  LANDFALL_AGENT_PORT: String(agent),
  LANDFALL_ADMIN_PORT: String(admin),
  LANDFALL_ALLOWED_HOSTS: 'landfall.example',
  LANDFALL_TLS_CERT_FILE: await file('cert.pem', host.cert),
  LANDFALL_TLS_KEY_FILE: await file('key.pem', host.key),
  LANDFALL_TLS_CLIENT_CA_FILE: await file('roots.pem', roots.cert),
};
const settingsOf = (overrides: Readonly<Record<string, string>> = {}) =>
  loadSettings(gatewaySettings, { env: { ...env, ...overrides } });
const app = await startApp({ settings: settingsOf(), role: { kind: 'all-in-one' }, worker: false, log: silentLog });
stack.defer(async () => void (await app.stop()));
const { bootstrap } = authorityModule.get(app.modules);
await bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme' });

const baseUrl = `https://localhost:${web}`;
const authUrl = `https://localhost:${auth}`;

interface Sent {
  readonly by?: Pair | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const post = async (url: string, { by, headers, body }: Sent) => {
  const options = { method: 'POST', ca: issuer.cert, agent: false, headers, ...(by && { cert: by.cert, key: by.key }) };
  const [response] = await once(send(url, options).end(body), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  const answer: { status: number; headers: Record<string, unknown>; body: Record<string, unknown> } = {
    status: response.statusCode,
    headers: response.headers,
    body: JSON.parse(text),
  };
  return answer;
};

const token = (form: Readonly<Record<string, string>>, by?: Pair, headers: Readonly<Record<string, string>> = {}) =>
  post(`${authUrl}/token`, {
    by,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: String(new URLSearchParams({ grant_type: 'client_credentials', ...form })),
  });

const me = (authorization: string, overrides: Readonly<Record<string, string>> = {}, by?: Pair) =>
  post(`${baseUrl}/graphql`, {
    by,
    headers: { 'content-type': 'application/json', authorization, ...overrides },
    body: JSON.stringify({ query: '{ me { subject tenant } }' }),
  });

const secret = 's'.repeat(43);
const client = (name: string, overrides: object) =>
  bootstrap.ensureClient({
    ...{ tenant: 'acme', name, secret, grants: ['client_credentials'], scopes: ['orch:read'] },
    ...overrides,
  });

test('the console signs people in over TLS, by way of a certificate that only the listener vouches for', async () => {
  setDefaultCACertificates([issuer.cert]);
  const person = { username: 'ada', password: 'correct horse battery staple' };
  await bootstrap.ensureUser({ tenant: 'acme', displayName: 'Ada', roles: ['admin'], ...person });
  const { csrf } = await visit(baseUrl, person);
  assert.notEqual(csrf, '');
});

test('browsers are told to come by TLS alone, but not to a name that every program of the machine shares', async () => {
  for (const [url, name] of [
    [`${baseUrl}/healthz`, 'landfall.example'],
    [`${authUrl}/nothing`, `landfall.example:${auth}`],
  ] as const) {
    const strict = async (host: string) => {
      const [answer] = await once(
        send(url, { ca: issuer.cert, agent: false, servername: 'localhost', headers: { host } }).end(),
        'response',
      );
      answer.resume();
      return answer.headers['strict-transport-security'];
    };
    assert.equal(await strict(name), 'max-age=31536000');
    assert.equal(await strict(new URL(url).host), undefined);
  }
});

test('the metadata names the endpoints for clients that bring a certificate', async () => {
  const [answer] = await once(
    send(`${authUrl}/.well-known/oauth-authorization-server`, { ca: issuer.cert, agent: false }).end(),
    'response',
  );
  let text = '';
  for await (const chunk of answer) text += chunk;
  const { mtls_endpoint_aliases: aliases, token_endpoint: token } = JSON.parse(text);
  assert.deepEqual([aliases.token_endpoint, token], [`${authUrl}/token`, `${authUrl}/token`]);
  assert.deepEqual(
    Object.keys(aliases).filter((name) => !(name in JSON.parse(text))),
    [],
    'each alias is of an endpoint that there is',
  );
});

test('a client is known by its certificate, and its token by the same one alone', async () => {
  const id = await client('pipeline', {
    authMethods: ['tls_client_auth'],
    tlsSubject: { kind: 'san_dns', value: 'pipeline.example' },
    tlsBound: true,
  });
  const { status, body } = await token({ client_id: id }, pipeline);
  assert.deepEqual([status, body.token_type], [200, 'Bearer']);
  const bearer = `Bearer ${body.access_token}`;
  const known = await me(bearer, {}, pipeline);
  assert.deepEqual(known.body, { data: { me: { subject: id, tenant: 'acme' } } });
  for (const by of [undefined, otherCertificate]) assert.equal((await me(bearer, {}, by)).status, 401);
  assert.equal((await token({ client_id: id }, otherCertificate)).status, 401);
});

const pair = proofKey();
const proof = (htu: string, overrides: object = {}): string =>
  proofBy(pair, { claims: { htm: 'POST', htu, iat: Math.floor(Date.now() / 1000), ...overrides } });

test('a token bound to a key is good with a proof for our own address, whatever host a request names', async () => {
  const id = await client('bound', { dpopBound: true });
  const form = { client_id: id, client_secret: secret };
  const dpopProof = await token(form, undefined, { dpop: proof(`${authUrl}/token`) });
  assert.deepEqual([dpopProof.status, dpopProof.body.token_type], [200, 'DPoP']);
  assert.match(String(dpopProof.headers['dpop-nonce']), /^[\w-]{22}$/);
  const access = String(dpopProof.body.access_token);
  const ath = athOf(access);
  const graph = () => proof(`${baseUrl}/graphql`, { ath, nonce: dpopProof.headers['dpop-nonce'] });
  assert.equal((await me(`DPoP ${access}`, { dpop: graph() })).status, 200);
  assert.equal((await me(`Bearer ${access}`, { dpop: graph() })).status, 200);
  assert.equal((await me(`Bearer ${access}`)).status, 401);
  const otherHost = proof('https://evil.example/graphql', { ath });
  const named = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };
  assert.equal((await me(`DPoP ${access}`, { dpop: otherHost, ...named })).status, 401);
  const stale = await me(`DPoP ${access}`, { dpop: proof(`${baseUrl}/graphql`, { ath, nonce: 'stale' }) });
  assert.equal(stale.status, 401);
  assert.match(String(stale.headers['www-authenticate']), /^DPoP error="use_dpop_nonce"/);
  assert.match(String(stale.headers['dpop-nonce']), /^[\w-]{22}$/);
});

test('the back door of a proxy’s header is shut where no proxy is trusted', async () => {
  const id = await client('self-signed', {
    authMethods: ['self_signed_tls_client_auth'],
    certificates: [otherCertificate.cert],
  });
  for (const name of ['client-cert', 'x-client-cert', 'ssl-client-cert', 'x-landfall-certificate'])
    assert.equal(
      (await token({ client_id: id }, undefined, { [name]: encodeURIComponent(otherCertificate.cert) })).status,
      401,
    );
  assert.equal((await token({ client_id: id }, otherCertificate)).status, 200);
});

test('a certificate that is renewed on disk is taken up by the listener and by who calls it from here', async () => {
  const [own, key] = [await file('own.pem', host.cert), await file('own-key.pem', host.key)];
  const settings = settingsOf({ LANDFALL_TLS_CERT_FILE: own, LANDFALL_TLS_KEY_FILE: key });
  using tls = await createTls(settings, silentLog);
  const server = tls.server() ?? assert.fail();
  // Each request opens a connection of its own, and so makes a handshake.
  server.on('request', (_request, response) => response.setHeader('connection', 'close').end('here'));
  using _ = { [Symbol.dispose]: () => server.close() };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const authPort = typeof address === 'object' && address ? address.port : 0;
  const { origin, http } = createBackChannel({ host: '127.0.0.1', authPort }, tls);
  const send = async () => (await http?.send({ url: origin, correlationId: 'c' }))?.kind;
  assert.equal(await send(), 'response');
  const renewed = selfSigned({ subject: '/CN=landfall', alternatives: ['DNS:localhost'] });
  await file('own.pem', 'torn');
  await tls.renew();
  assert.equal(await send(), 'response', 'what is no good changes nothing');
  await file('own.pem', renewed.cert);
  await file('own-key.pem', renewed.key);
  await tls.renew();
  assert.equal(await send(), 'response');
  await http?.close();
});

test('what cannot be is refused at the start, by the name of its setting', async () => {
  const broken = await file('broken.pem', 'x');
  const wrong: [Readonly<Record<string, string>>, RegExp][] = [
    [{ LANDFALL_TLS_KEY_FILE: '' }, /^Error: Tls:CertificateFile and Tls:KeyFile belong together/],
    [{ LANDFALL_TLS_CERT_FILE: join(dir, 'none') }, /^Error: Tls:CertificateFile: .*none cannot be read \(ENOENT\)/],
    [{ LANDFALL_TLS_CERT_FILE: broken }, /^Error: Tls:CertificateFile: /],
    [{ LANDFALL_TLS_KEY_FILE: await file('other.pem', otherCertificate.key) }, /^Error: Tls:CertificateFile: /],
    [{ LANDFALL_TLS_CLIENT_CA_FILE: broken }, /^Error: Tls:ClientCaFile: holds no certificate/],
    [{ LANDFALL_CERTIFICATE_HEADER: 'client-cert' }, /^Error: Proxies:CertificateHeader is believed of nobody/],
    [{ LANDFALL_ADDRESS_HEADER: 'x-forwarded-for' }, /^Error: Proxies:AddressHeader is believed of nobody/],
    [{ LANDFALL_TRUSTED_PROXIES: 'proxy.example' }, /^Error: Proxies:Trusted: proxy.example is neither/],
  ];
  for (const [more, message] of wrong) await assert.rejects(createTls(settingsOf(more), silentLog), message);
});
