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
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { MODULES } from '@landfall/rest-compat/modules';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createModules } from '../modules/modules.ts';
import { createDependencies } from '../process/dependencies.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { freePorts, startProcess } from '../testing/processes.ts';
import { letTimePass } from '../testing/start.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

const dir = await mkdtemp(join(tmpdir(), 'landfall-tls-roles-'));
stack.defer(() => rm(dir, { recursive: true, force: true }));
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};

const issuer = selfSigned({ subject: '/CN=issuer', isAuthority: true });
const host = signedBy(issuer, { subject: '/CN=landfall', alternatives: ['DNS:localhost'] });
const roots = selfSigned({ subject: '/CN=roots', isAuthority: true });
const docker = signedBy(roots, { subject: '/CN=docker', alternatives: ['DNS:docker.example'] });
const otherCertificate = selfSigned({ subject: '/CN=stranger' });
setDefaultCACertificates([issuer.cert]);

const database = stack.use(await testDatabase());
await letTimePass(database.connection);
const [web, auth, agent, admin, ...modulePorts] = await freePorts(4 + 2 * MODULES.length);
const baseUrl = `https://localhost:${web}`;
const authUrl = `https://localhost:${auth}`;
const moduleListeners = MODULES.map(({ name }, index) => ({
  name,
  port: modulePorts[2 * index],
  admin: modulePorts[2 * index + 1],
}));
const env = {
  DATABASE_URL: database.url,
  LANDFALL_DATA_DIR: dir,
  LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
  LANDFALL_BASE_URL: baseUrl,
  LANDFALL_AUTH_URL: authUrl,
  LANDFALL_AUTH_PORT: String(auth),
  LANDFALL_AGENT_PORT: String(agent),
  LANDFALL_TLS_CERT_FILE: await file('cert.pem', host.cert),
  LANDFALL_TLS_KEY_FILE: await file('key.pem', host.key),
  LANDFALL_TLS_CLIENT_CA_FILE: await file('roots.pem', roots.cert),
  LANDFALL_MODULES: moduleListeners.map(({ name, port }) => `${name}=http://127.0.0.1:${port}`).join(','),
  REGISTRY_TOKEN_PLANS: JSON.stringify({ team: { repositories: [{ pattern: 'acme/*' }] } }),
};

const startRole = async (role: string, port: number | undefined, ownAdmin: number | undefined, url: string) => {
  const own = { LANDFALL_PORT: String(port), LANDFALL_ADMIN_PORT: String(ownAdmin) };
  return stack.use(await startProcess(['--role', role], { ...env, ...own }, url));
};

/** Starts a process for each module, and the edge, which alone sees clients' certificates. */
const startRoles = async (): Promise<void> => {
  await Promise.all(
    moduleListeners.map((one) => startRole(`module:${one.name}`, one.port, one.admin, `http://127.0.0.1:${one.port}`)),
  );
  await startRole('edge', web, admin, baseUrl);
};

/** Registers a client of the tenant that authenticates by its certificate. */
const register = async (): Promise<string> => {
  const settings = loadSettings(gatewaySettings, { env });
  const { deps } = stack.use(await createDependencies(settings, silentLog));
  const { bootstrap } = authorityModule.get(createModules(MODULES, deps, settings));
  await bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme', plans: ['team'] });
  return bootstrap.ensureClient({
    tenant: 'acme',
    name: 'docker',
    secret: 's'.repeat(43),
    grants: ['client_credentials'],
    scopes: ['registry.token.issue'],
    authMethods: ['tls_client_auth'],
    tlsSubject: { kind: 'san_dns', value: 'docker.example' },
    tlsBound: true,
  });
};

interface Sent {
  readonly by?: Pair | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ask = async (url: string, { by, headers = {}, body }: Sent) => {
  const method = body === undefined ? 'GET' : 'POST';
  const options = { method, ca: issuer.cert, agent: false, headers, ...(by && { cert: by.cert, key: by.key }) };
  const [response] = await once(send(url, options).end(body), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: Number(response.statusCode), text };
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const accessTokenOf = (clientId: string, by?: Pair) => {
  const body = String(new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId }));
  return ask(`${authUrl}/token`, { by, headers: FORM, body });
};
const query = 'service=registry.example&scope=repository:acme/app:pull';
const Issued = Type.Object({ token: Type.String() });

test('roles: a client is known by the certificate that only the edge saw, at the authority and at the realm', async () => {
  await startRoles();
  const clientId = await register();
  for (const by of [undefined, otherCertificate]) assert.equal((await accessTokenOf(clientId, by)).status, 401);
  const { status, text } = await accessTokenOf(clientId, docker);
  assert.equal(status, 200, text);
  const { access_token: accessToken } = Parse(Type.Object({ access_token: Type.String() }), JSON.parse(text));
  const headers = { authorization: `Bearer ${accessToken}` };

  const response = await ask(`${baseUrl}/token?${query}`, { by: docker, headers });
  assert.equal(response.status, 200, response.text);
  const posted = await ask(`${baseUrl}/token`, {
    by: docker,
    headers: FORM,
    body: `${query}&grant_type=refresh_token&refresh_token=${accessToken}`,
  });
  assert.equal(posted.status, 200, posted.text);
  for (const answer of [response, posted])
    assert.equal(Parse(Issued, JSON.parse(answer.text)).token.split('.').length, 3);

  for (const by of [undefined, otherCertificate])
    assert.equal((await ask(`${baseUrl}/token?${query}`, { by, headers })).status, 401, 'without the certificate');
  const claimed = { 'x-landfall-certificate': `${Buffer.from(docker.cert).toString('base64url')}.AAAA` };
  const forged = await ask(`${baseUrl}/token?${query}`, { headers: { ...headers, ...claimed } });
  assert.equal(forged.status, 401, 'by its own word for it');
});
