import assert from 'node:assert/strict';
import { createPublicKey, randomUUID, verify, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { revoke, stop } from '@landfall/kernel/identity/denylist';
import { type RegistryApp, registryApp } from '@landfall/registry-token/testing/app';
import { jwt, testHolder } from '@landfall/registry-token/testing/keys';
import { registryTokenRoutes } from './registry-token.ts';

const start = (env?: Readonly<Record<string, string>>) => registryApp(registryTokenRoutes, env);
const PULL = 'repository:acme/app:pull';

const parts = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

const rows = table('registry.tokens', { outcome: text, error: text.nullable(), reason: text.nullable() });
const recorded = (app: RegistryApp, tenant = 'acme') =>
  app.deps.database.read(toTenantId(tenant), (query) =>
    query.list(rows, sql`select outcome, error, reason from registry.tokens where tenant = ${tenant} order by id`),
  );

/** Status, `error`, and what a registry's client prints. */
const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body.error,
  Array.isArray(body.errors) ? body.errors[0]?.code : undefined,
];

test('a bound token and its proof are given a registry token that registries take', async () => {
  await using app = await start();
  const { status, headers, body } = await app.ask({ scope: 'repository:acme/app:pull,push' });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['token', 'expires_in', 'issued_at']);
  assert.deepEqual([body.expires_in, body.issued_at], [300, '2026-01-15T09:00:00Z']);
  assert.deepEqual(
    [headers.get('cache-control'), headers.get('content-type')],
    ['no-store', 'application/json; charset=utf-8'],
  );
  assert.match(headers.get('dpop-nonce') ?? '', /^[\w-]{22}$/);
  const [header, claims] = parts(body.token);
  assert.deepEqual(Object.keys(header), ['alg', 'typ', 'kid', 'x5c']);
  const iat = Date.parse('2026-01-15T09:00:00Z') / 1000;
  const { jti, sub, ...rest } = claims;
  assert.deepEqual(rest, {
    iss: 'http://platform.example',
    aud: 'registry.example',
    iat,
    nbf: iat - 10,
    exp: iat + 300,
    access: [{ type: 'repository', name: 'acme/app', actions: ['pull', 'push'] }],
  });
  assert.ok(jti && sub);
  const leaf = new X509Certificate(Buffer.from(header.x5c[0], 'base64'));
  const authority = new X509Certificate((await app.module.signer.state()).rootCertificates);
  assert.ok(leaf.checkIssued(authority) && leaf.verify(authority.publicKey) && authority.ca && !leaf.ca);
  const [signed, tail] = [body.token.split('.').slice(0, 2).join('.'), body.token.split('.')[2]];
  const key = createPublicKey(leaf.publicKey.export({ format: 'pem', type: 'spki' }));
  assert.ok(verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(tail, 'base64url')));
  assert.deepEqual(await recorded(app), [{ outcome: 'issued', error: null, reason: null }]);
});

test('POST answers with access_token too, however clients send the token', async () => {
  await using app = await start();
  const accessToken = app.bound();
  const forms = [
    { grant_type: 'refresh_token', refresh_token: accessToken, client_id: 'crane', access_type: 'offline' },
    { grant_type: 'password', username: 'anybody', password: accessToken, client_id: 'docker' },
  ];
  for (const form of forms) {
    const { status, body } = await app.ask({ method: 'POST', accessToken, form, scope: PULL });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['token', 'expires_in', 'issued_at', 'access_token']);
    assert.equal(body.access_token, body.token);
  }
  const schemes = [`DPoP ${accessToken}`, `bearer ${accessToken}`, `Basic ${btoa(`anybody:${accessToken}`)}`];
  for (const authorization of schemes) {
    const { status } = await app.ask({ accessToken, headers: { authorization }, scope: PULL });
    assert.equal(status, 200, authorization);
  }
  const other = { grant_type: 'authorization_code', code: 'x' };
  assert.deepEqual(codeOf(await app.ask({ method: 'POST', form: other })), [400, 'invalid_request', 'DENIED']);
  const both = {
    method: 'POST',
    accessToken,
    form: forms[0] ?? {},
    headers: { authorization: `Bearer ${accessToken}` },
  } as const;
  assert.deepEqual(codeOf(await app.ask(both)), [400, 'invalid_request', 'DENIED']);
});

// spec: 4.2/denials
test('a refusal is a problem document with the error of RFC 6750, in the header too', async () => {
  await using app = await start();
  const { status, headers, body } = await app.ask({ scope: 'repository:other/app:pull' });
  assert.equal(status, 403);
  assert.deepEqual(body, {
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    detail: 'No pattern of the plan pro covers other/app.',
    error: 'insufficient_scope',
    errors: [{ code: 'DENIED', message: 'No pattern of the plan pro covers other/app.' }],
  });
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(
    headers.get('www-authenticate'),
    'Bearer realm="landfall", error="insufficient_scope", error_description="No pattern of the plan pro covers other/app."',
  );
  assert.deepEqual(await recorded(app), [
    { outcome: 'refused', error: 'insufficient_scope', reason: 'No pattern of the plan pro covers other/app.' },
  ]);
});

test('an unbound token is told what to do; a proof by another key, of another request or of an earlier one is none', async () => {
  await using app = await start();
  const unbound = await app.ask({ accessToken: app.authority.accessToken() });
  assert.deepEqual(codeOf(unbound), [401, 'invalid_token', 'UNAUTHORIZED']);
  assert.match(unbound.body.detail, /DPoP proof \(RFC 9449\).*landfall registry login/);
  const accessToken = app.bound();
  const { proof } = app.holder;
  const at = { url: app.realm, accessToken };
  const used = proof(at);
  assert.equal((await app.ask({ accessToken, proof: used })).status, 200);
  const bad = {
    none: '',
    used,
    'another key': testHolder(app.clock).proof(at),
    'another method': proof({ ...at, method: 'POST' }),
    'another address': proof({ ...at, url: 'http://elsewhere.example/token' }),
    'another token': proof({ ...at, accessToken: app.bound() }),
    'an old one': proof({ ...at, claims: { iat: 1 } }),
    'a jti of 10 kB': proof({ ...at, claims: { jti: 'x'.repeat(10_000) } }),
    noise: 'x',
  };
  for (const [name, scope] of Object.entries(bad))
    assert.deepEqual(
      codeOf(await app.ask({ accessToken, proof: scope })),
      [401, 'invalid_token', 'UNAUTHORIZED'],
      name,
    );
  const stale = await app.ask({ accessToken, proof: proof({ ...at, claims: { nonce: 'stale' } }) });
  assert.deepEqual(codeOf(stale), [401, 'use_dpop_nonce', 'UNAUTHORIZED']);
  const nonce = stale.headers.get('dpop-nonce');
  assert.match(stale.headers.get('www-authenticate') ?? '', /DPoP error="use_dpop_nonce"/);
  assert.equal((await app.ask({ accessToken, proof: proof({ ...at, claims: { nonce } }) })).status, 200);
  assert.deepEqual(app.bugs, []);
});

test('of eight requests with one proof exactly one is given a token', async () => {
  await using app = await start();
  const accessToken = app.bound();
  const proof = app.holder.proof({ url: app.realm, accessToken });
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.ask({ accessToken, proof })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 401).length, 7);
});

test('what is no access token of the authority is 401, and leaves no row', async () => {
  await using app = await start();
  const cnf = { jkt: app.holder.jkt };
  const iat = Date.parse('2026-01-15T09:00:00Z') / 1000;
  const { accessToken, privateKey } = app.authority;
  const claims = {
    iss: 'http://authority.example',
    sub: 'a',
    aud: 'landfall',
    client_id: 'a',
    scope: 'registry.token.issue',
  };
  const complete = { ...claims, iat, exp: iat + 900, jti: randomUUID(), 'svc:tenant': 'acme', cnf };
  const tokens = {
    noise: 'x',
    'another audience': accessToken({ cnf, aud: 'elsewhere' }),
    'another issuer': accessToken({ cnf, iss: 'http://mallory.example' }),
    expired: accessToken({ cnf, iat: iat - 2_000, exp: iat - 1_000 }),
    'from the future': accessToken({ cnf, iat: iat + 1_000, exp: iat + 2_000 }),
    'without an end': accessToken({ cnf, exp: undefined }),
    'without an audience': accessToken({ cnf, aud: undefined }),
    'without a tenant': accessToken({ cnf, 'svc:tenant': undefined }),
    'an id token': accessToken({ cnf }, { typ: 'JWT' }),
    'its own key': accessToken({ cnf }, { jwk: { kty: 'EC' } }),
    'no key of ours': accessToken({ cnf }, { kid: 'k2' }),
    'alg none': `${Buffer.from('{"alg":"none","typ":"at+jwt","kid":"k1"}').toString('base64url')}.e30.`,
    'another signature': jwt(privateKey, { typ: 'at+jwt', kid: 'k1' }, complete).replace(/.{4}$/, 'AAAA'),
    long: 'a'.repeat(9_000),
  };
  for (const [name, token] of Object.entries(tokens))
    assert.deepEqual(codeOf(await app.ask({ accessToken: token })), [401, 'invalid_token', 'UNAUTHORIZED'], name);
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Digest x', `Basic ${btoa('nothing')}`, 'Basic %'])
    assert.deepEqual(codeOf(await app.ask({ headers: { authorization } })), [401, 'invalid_token', 'UNAUTHORIZED']);
  const duplicated = await app.ask({ headers: { authorization: `Bearer ${app.bound()}, Bearer ${app.bound()}` } });
  assert.match(duplicated.body.detail, /more than one Authorization header/);
  assert.deepEqual(await recorded(app), []);
  assert.deepEqual(app.bugs, []);
});

// spec: 6/token-meters, 5/plan-and-licence-claims
test('the scope of the authority’s token, the licence and the plan are asked for, and each refusal is written down', async () => {
  await using app = await start({
    REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1',
    REGISTRY_TOKEN_REGISTRY__SERVICES: 'registry.example',
  });
  const narrow = await app.ask({ accessToken: app.bound({ scope: 'orch:read' }) });
  assert.deepEqual(codeOf(narrow), [403, 'insufficient_scope', 'DENIED']);
  assert.match(narrow.headers.get('www-authenticate') ?? '', /scope="registry\.token\.issue"/);
  const cases: readonly (readonly [number, string, Parameters<RegistryApp['ask']>[0]])[] = [
    [403, 'insufficient_scope', { accessToken: app.bound({ 'svc:license': 'L-1' }), scope: PULL }],
    [403, 'insufficient_scope', { accessToken: app.bound({ 'svc:plan': 'none' }), scope: PULL }],
    [403, 'insufficient_scope', { accessToken: app.bound({ 'svc:plan': undefined }), scope: PULL }],
    [400, 'invalid_scope', { scope: 'nonsense' }],
    [400, 'invalid_request', { service: 'elsewhere' }],
    [400, 'invalid_request', { service: [] }],
    [400, 'invalid_request', { service: ['registry.example', 'registry.example'] }],
    [400, 'invalid_request', { service: `\u0000${'x'.repeat(300)}` }],
  ];
  for (const [status, error, request] of cases)
    assert.deepEqual(codeOf(await app.ask(request)), [status, error, 'DENIED']);
  assert.equal((await recorded(app)).filter(({ outcome }) => outcome === 'refused').length, cases.length + 1);
  assert.equal((await app.ask()).body.expires_in, 300);
  const metrics = await app.telemetry.prometheus();
  assert.match(metrics, /^registry_token_issued_total(?:\{[^}]*\})? 1\b/m);
  assert.match(metrics, /^registry_token_rejected_total\{[^}]*reason="license"[^}]*\} 1\b/m);
  assert.match(metrics, /^registry_token_rejected_total\{[^}]*reason="service"[^}]*\} 2\b/m);
});

test('what was revoked or stopped is given nothing from that moment on, and is told no other reason', async () => {
  await using app = await start();
  const { system } = app.deps.database;
  const revoked = app.bound({ jti: 'gone' });
  assert.equal((await app.ask({ accessToken: revoked, scope: PULL })).status, 200);
  await system.write((tx) => revoke(tx, 'gone', new Date('2027-01-01')));
  for (const scope of [PULL, 'repository:other/x:pull']) {
    const { status, body } = await app.ask({ accessToken: revoked, scope });
    assert.deepEqual([status, body.error, body.detail], [401, 'invalid_token', 'The access token was revoked.']);
  }
  const stopped = app.bound({ sub: 'person', client_id: 'client', 'svc:tenant': 'globex' });
  for (const [kind, id] of [
    ['user', 'person'],
    ['client', 'client'],
    ['tenant', 'globex'],
  ] as const) {
    assert.equal((await app.ask({ accessToken: stopped })).status, 200);
    await system.write((tx) => stop(tx, kind, id));
    assert.equal((await app.ask({ accessToken: stopped })).status, 401, kind);
    await system.write((tx) => tx.run(sql`delete from kernel.stopped where id = ${id}`));
  }
});

test('while the database is away nothing is issued, and the answer says that it is our failure', async () => {
  await using app = await start();
  assert.equal((await app.ask({ scope: PULL })).status, 200);
  await app.deps.database.close();
  const { status, body } = await app.ask({ scope: PULL });
  assert.equal(status, 500);
  assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail', 'error', 'errors']);
  assert.equal(body.error, 'server_error');
  assert.match(body.errors[0].code, /^SYS_/);
  assert.equal(body.token, undefined);
});
