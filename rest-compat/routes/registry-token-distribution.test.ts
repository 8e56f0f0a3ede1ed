import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { sql } from '@landfall/kernel/db/sql';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import { stop } from '@landfall/kernel/identity/denylist';
import { needs } from '@landfall/kernel/testing/programs';
import { registryApp, SERVICE } from '@landfall/registry-token/testing/app';
import { testIdentity } from '@landfall/registry-token/testing/certificates';
import { startTokenRegistry } from '@landfall/registry-token/testing/distribution';
import { registryTokenRoutes } from './registry-token.ts';

const programs = await needs('docker-registry', 'skopeo');
const LICENSED = { 'svc:license': 'L-1' };

const started = async (env: Readonly<Record<string, string>> = {}, tls?: { key: string; cert: string }) => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await registryApp(registryTokenRoutes, env, { clock: systemClock, ...(tls && { tls }) }));
  const { rootCertificates } = await app.module.signer.state();
  const { realm } = app.settings;
  const registry = stack.use(
    await startTokenRegistry({ realm, service: SERVICE, issuer: app.settings.issuer, rootCertificates }),
  );
  const resources = stack.move();
  const token = async (scope: string, claims: Readonly<Record<string, unknown>> = {}) => {
    const { body } = await app.ask({ scope, accessToken: app.bound(claims) });
    return String(body.token);
  };
  return { app, registry, token, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

const pushing = (token: string) => ['--dest-registry-token', token];
const pulling = (token: string) => ['--src-registry-token', token];

// spec: 2.2/access-claim
test('skopeo pushes and pulls with our tokens, and with no more than they say', programs, async () => {
  await using distribution = await started();
  const { registry, token } = distribution;
  const push = await token('repository:acme/app:pull,push');
  const pull = await token('repository:acme/app:pull');
  assert.equal((await registry.push('acme/app')).ok, false, 'without a token');
  const pushed = await registry.push('acme/app', ...pushing(push));
  assert.ok(pushed.ok, pushed.said);
  const pulled = await registry.pull('acme/app', ...pulling(pull));
  assert.ok(pulled.ok, pulled.said);
  assert.match((await registry.push('acme/app', ...pushing(pull))).said, /denied|unauthorized/i);
  assert.match((await registry.push('acme/other', ...pushing(push))).said, /denied|unauthorized/i);
  assert.equal(await token('repository:other/app:pull,push'), 'undefined', 'outside the plan');
});

test('a new leaf is taken without a restart of the registry, another authority’s is not', programs, async () => {
  await using distribution = await started();
  const { app, registry, token } = distribution;
  const before = await token('repository:acme/app:pull,push');
  await app.module.signer.rotate();
  const after = await token('repository:acme/app:pull,push');
  for (const each of [before, after]) {
    const pushed = await registry.push('acme/app', ...pushing(each));
    assert.ok(pushed.ok, pushed.said);
  }
  // Another installation: its own root key and so its own authority.
  await using other = await registryApp(registryTokenRoutes, {}, { clock: systemClock });
  const unknown = await other.ask({ scope: 'repository:acme/app:pull,push', accessToken: other.bound() });
  assert.equal(unknown.status, 200);
  assert.match((await registry.push('acme/app', ...pushing(unknown.body.token))).said, /denied|unauthorized/i);
});

test('after its licence was revoked nobody is given a token any more', programs, async () => {
  await using distribution = await started();
  const { app, registry, token } = distribution;
  const pushed = await registry.push('acme/app', ...pushing(await token('repository:acme/app:pull,push', LICENSED)));
  assert.ok(pushed.ok, pushed.said);
  await using revoked = await registryApp(
    registryTokenRoutes,
    { REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1' },
    { clock: systemClock },
  );
  const refused = await revoked.ask({ scope: 'repository:acme/app:pull', accessToken: revoked.bound(LICENSED) });
  assert.deepEqual([refused.status, refused.body.errors[0].code], [403, 'DENIED']);
  assert.equal(app.bugs.length, 0);
});

/** Starts skopeo with its defaults, a client certificate and an access token that is bound to it. */
const standardSetup = async (claims: Readonly<Record<string, unknown>> = {}) => {
  await using stack = new AsyncDisposableStack();
  const distribution = stack.use(await started({}, await testIdentity()));
  const { app, registry } = distribution;
  const client = await testIdentity();
  const directory = await registry.certificates(client.cert, client.key);
  const own = app.authority.accessToken({ cnf: { 'x5t#S256': thumbprintOf(client) }, ...claims });
  const password = ['--dest-cert-dir', directory, '--dest-creds', `anybody:${own}`];
  /** The identity token of a login goes into a form (grant_type=refresh_token), as crane and oras send it. */
  const authfile = join(registry.home, 'auth.json');
  const auth = Buffer.from('anybody:').toString('base64');
  await writeFile(authfile, JSON.stringify({ auths: { [registry.host]: { auth, identitytoken: own } } }));
  const resources = stack.move();
  return {
    ...distribution,
    mine: own,
    push: (name: string) => registry.push(name, ...password),
    pull: (name: string) => registry.pull(name, '--src-cert-dir', directory, '--src-authfile', authfile),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

// spec: 4.2/challenge-flow, 5/sender-constraint
test(
  'a stock client follows the challenge by itself, with its certificate and the access token as password',
  programs,
  async () => {
    await using started = await standardSetup();
    const { app, registry, mine: own, push, pull } = started;
    const pushed = await push('acme/app');
    assert.ok(pushed.ok, pushed.said);
    const pulled = await pull('acme/app');
    assert.ok(pulled.ok, pulled.said);
    assert.match((await push('other/app')).said, /403|denied|No pattern/i);
    const stolen = await registry.push('acme/app', '--dest-creds', `anybody:${own}`);
    assert.equal(stolen.ok, false, 'without the certificate');
    assert.equal(app.bugs.length, 0);
  },
);

test('a stock client is refused once its licence is revoked', programs, async () => {
  await using started = await standardSetup(LICENSED);
  const { app, push, pull } = started;
  const pushed = await push('acme/app');
  assert.ok(pushed.ok, pushed.said);
  app.restart({ REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1' });
  for (const output of [(await push('acme/app')).said, (await pull('acme/app')).said])
    assert.match(output, /403|denied|licence/i);
  app.restart({});
  assert.ok((await pull('acme/app')).ok, 'and let in again with it');
});

test('a stock client is refused once its client or its tenant is stopped', programs, async () => {
  await using started = await standardSetup({ sub: 'ci', client_id: 'ci', 'svc:tenant': 'acme' });
  const { app, push, pull } = started;
  const { system } = app.deps.database;
  const pushed = await push('acme/app');
  assert.ok(pushed.ok, pushed.said);
  for (const [kind, id] of [
    ['client', 'ci'],
    ['tenant', 'acme'],
  ] as const) {
    await system.write((tx) => stop(tx, kind, id));
    for (const output of [(await push('acme/app')).said, (await pull('acme/app')).said])
      assert.match(output, /401|unauthorized|revoked/i, kind);
    await system.write((tx) => tx.run(sql`delete from kernel.stopped where id = ${id}`));
    assert.ok((await pull('acme/app')).ok, `the ${kind} is let in again`);
  }
  assert.equal(app.bugs.length, 0);
});
