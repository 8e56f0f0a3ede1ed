import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { Fault } from '../core/fault.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { fixedClock } from '../testing/clock.ts';
import type { TokenNames } from './denylist.ts';
import { createEdge } from './edge.ts';
import { createKeys } from './keys.ts';

const clock = fixedClock();
const seconds = () => Math.floor(clock.now().getTime() / 1000);
const pair = await generateKeyPair('ES256', { extractable: true });
const other = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', use: 'sig' };
const keys = createKeys(async () => [jwk], { clock });

const claims = (overrides: Record<string, unknown> = {}): JWTPayload => ({
  iss: 'http://auth',
  aud: 'landfall',
  sub: 'user-1',
  client_id: 'console',
  jti: 'jti-1',
  scope: 'release:read orch:read',
  'svc:tenant': 'acme',
  iat: seconds(),
  exp: seconds() + 900,
  ...overrides,
});

const sign = (payload: JWTPayload, header: Partial<JWTHeaderParameters> = {}, key = pair.privateKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header }).sign(key);

const requestHeaders = (...authorization: string[]): RequestHeaders => ({
  correlationId: 'c-1',
  assertedTenants: ['globex'],
  authorization,
  csrf: undefined,
  method: 'POST',
  target: '/api/v1/things?a=b',
  dpop: [],
  certificate: undefined,
});

const edgeOf = (isRevoked: (names: TokenNames) => Promise<boolean> = async () => false) =>
  createEdge({ issuer: 'http://auth', audience: 'landfall', keys, clock, isRevoked });

const codeFor = async (token: string): Promise<string> => {
  try {
    await edgeOf().callerOf(token, requestHeaders());
    return 'accepted';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token of ours becomes a caller, whose asserted tenants are kept apart from its tenant', async () => {
  const caller = await edgeOf().bearer(requestHeaders(`Bearer ${await sign(claims())}`));
  assert.deepEqual(caller, {
    tenant: 'acme',
    subject: 'user-1',
    clientId: 'console',
    scopes: new Set(['release:read', 'orch:read']),
    kind: 'user',
    tokenId: 'jti-1',
    correlationId: 'c-1',
    assertedTenants: ['globex'],
  });
});

test('the holders of the tokens that a token was exchanged for are the caller’s', async () => {
  const { clientId, earlierHolders } = await edgeOf().callerOf(
    await sign(claims({ client_id: 'service', 'svc:holders': ['portal', 'user-2'] })),
    requestHeaders(),
  );
  assert.deepEqual([clientId, earlierHolders], ['service', ['portal', 'user-2']]);
});

test('a token whose subject is its client is a client, and a tenant may be absent', async () => {
  const { kind, ...caller } = await edgeOf().callerOf(
    await sign(claims({ sub: 'console', 'svc:tenant': undefined })),
    requestHeaders(),
  );
  assert.equal(kind, 'client');
  assert.equal('tenant' in caller, false);
});

// spec: 5/tenant-claims
test('another claim may name the tenant, for who takes it: tenant, then tenant_id, and only without svc:tenant', async () => {
  const of = async (overrides: Record<string, unknown>) => {
    const { tenant, claimedTenant } = await edgeOf().callerOf(await sign(claims(overrides)), requestHeaders());
    return [tenant, claimedTenant];
  };
  assert.deepEqual(await of({ tenant: 'globex' }), ['acme', undefined]);
  assert.deepEqual(await of({ 'svc:tenant': undefined, tenant: 'globex', tenant_id: 'umbra' }), [undefined, 'globex']);
  assert.deepEqual(await of({ 'svc:tenant': undefined, tenant_id: 'umbra' }), [undefined, 'umbra']);
  const requests: TokenNames[] = [];
  const edge = edgeOf(async (names) => requests.push(names) > 1);
  await edge.callerOf(await sign(claims({ 'svc:tenant': undefined, tenant: 'globex' })), requestHeaders());
  assert.equal(requests[0]?.tenant, 'globex', 'a tenant that was stopped is stopped by any name of the claim');
});

test('a token of a client that another client holds is no person’s', async () => {
  const token = await sign(claims({ sub: 'ci', client_id: 'service', 'svc:kind': 'client', act: { sub: 'service' } }));
  assert.equal((await edgeOf().callerOf(token, requestHeaders())).kind, 'client');
});

// spec: 7.2/AUTH_TOKEN_MISSING
test('no token, another scheme and an empty one are missing; two headers are invalid', async () => {
  const token = await sign(claims());
  const codeOf = (...headers: string[]) =>
    edgeOf()
      .bearer(requestHeaders(...headers))
      .then(
        () => 'accepted',
        ({ code }) => code,
      );
  for (const header of ['', 'Bearer', 'Bearer ', 'Basic dTpw', `Bearer  ${token}`, 'DPoP', 'DPoP '])
    assert.equal(await codeOf(header), 'AUTH_TOKEN_MISSING', header);
  assert.equal(await codeOf(), 'AUTH_TOKEN_MISSING');
  assert.equal(await codeOf(`Bearer ${token}`, `Bearer ${token}`), 'AUTH_TOKEN_INVALID');
  assert.equal(await codeOf(`bearer ${token}`), 'accepted');
});

// spec: 7.2/AUTH_TOKEN_INVALID
test('a token of somebody else, for somebody else, or with a claim missing is invalid', async () => {
  const refused: Record<string, Promise<string>> = {
    issuer: sign(claims({ iss: 'http://evil' })),
    audience: sign(claims({ aud: 'registry' })),
    'no audience': sign(claims({ aud: undefined })),
    'no subject': sign(claims({ sub: undefined })),
    'no expiry': sign(claims({ exp: undefined })),
    'no issue time': sign(claims({ iat: undefined })),
    'no id': sign(claims({ jti: undefined })),
    'no client': sign(claims({ client_id: undefined })),
    'no scope': sign(claims({ scope: undefined })),
    'other type': sign(claims(), { typ: 'JWT' }),
    'other key': sign(claims(), {}, other.privateKey),
    'unknown key id': sign(claims(), { kid: 'k2' }),
    'key in header': sign(claims(), { jwk: await exportJWK(other.publicKey) }, other.privateKey),
    'certificate in header': sign(claims(), { x5c: ['AAAA'] }),
    'from the future': sign(claims({ iat: seconds() + 61 })),
    'not yet valid': sign(claims({ nbf: seconds() + 61 })),
    'ends before it starts': sign(claims({ iat: seconds() + 30, exp: seconds() + 20 })),
    'tenant that cannot be': sign(claims({ 'svc:tenant': '../acme' })),
    'claimed tenant that cannot be': sign(claims({ 'svc:tenant': undefined, tenant: 'a b' })),
    'holders that are no list': sign(claims({ 'svc:holders': 'portal' })),
    'holders that are no ids': sign(claims({ 'svc:holders': ['portal', 1] })),
    'bound to a key': sign(claims({ cnf: { jkt: 'j'.repeat(43) } })),
    'bound to a certificate': sign(claims({ cnf: { 'x5t#S256': 'j'.repeat(43) } })),
    'bound to what nobody knows': sign(claims({ cnf: { kid: 'k1' } })),
    'bound to nothing': sign(claims({ cnf: {} })),
    'bound to null': sign(claims({ cnf: null })),
    'bound to a text': sign(claims({ cnf: 'x' })),
  };
  for (const [name, token] of Object.entries(refused))
    assert.equal(await codeFor(await token), 'AUTH_TOKEN_INVALID', name);
});

test('none, HS256 with the public key, and JSON that is no header are invalid', async () => {
  const header = { alg: 'none', typ: 'at+jwt', kid: 'k1' };
  const hmac = new SignJWT(claims()).setProtectedHeader({ ...header, alg: 'HS256' });
  const forged = await hmac.sign(Buffer.from(JSON.stringify(jwk)));
  const [, body, signature] = (await sign(claims())).split('.');
  for (const bad of [
    `${encode(header)}.${body}.`,
    `${encode(header)}.${body}.AA`,
    forged,
    `${encode(null)}.${body}.${signature}`,
  ])
    assert.equal(await codeFor(bad), 'AUTH_TOKEN_INVALID', bad);
});

test('every other spelling of a valid token is refused', async () => {
  const token = await sign(claims());
  const last = token.at(-1) ?? '';
  // 64 bytes leave four unused bits in the last character: another one would decode to the same signature.
  const variant = String.fromCharCode(last.charCodeAt(0) + 1);
  const variants = [
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    token.replace('.', '..'),
    `${token}.`,
    token.slice(0, -1) + variant,
  ];
  for (const variant of variants) assert.equal(await codeFor(variant), 'AUTH_TOKEN_INVALID', JSON.stringify(variant));
  assert.equal(await codeFor(token), 'accepted');
});

// spec: 7.2/AUTH_TOKEN_EXPIRED
test('expiry has a leeway of 60 seconds', async () => {
  const completed = (ago: number) => sign(claims({ iat: seconds() - 900, exp: seconds() - ago }));
  assert.equal(await codeFor(await completed(59)), 'accepted');
  assert.equal(await codeFor(await completed(60)), 'AUTH_TOKEN_EXPIRED');
});

// spec: 7.2/AUTH_TOKEN_REVOKED
test('a revoked token is refused at once when asked afresh or after a notice, else within five seconds', async () => {
  const denied = new Set<string>();
  let requestCount = 0;
  const edge = edgeOf(async ({ jti = '' }) => {
    requestCount += 1;
    return denied.has(jti);
  });
  const token = await sign(claims());
  await edge.callerOf(token, requestHeaders());
  denied.add('jti-1');
  await edge.callerOf(token, requestHeaders());
  assert.equal(requestCount, 1);
  const revoked = { code: 'AUTH_TOKEN_REVOKED' };
  await assert.rejects(edge.callerOf(token, requestHeaders(), { fresh: true }), revoked);
  await assert.rejects(edge.callerOf(token, requestHeaders()), revoked);
  denied.clear();
  await edge.callerOf(token, requestHeaders());
  denied.add('jti-1');
  edge.forget();
  await assert.rejects(edge.callerOf(token, requestHeaders()), revoked);
  denied.clear();
  await edge.callerOf(token, requestHeaders());
  denied.add('jti-1');
  clock.advance(5_000);
  await assert.rejects(edge.callerOf(token, requestHeaders()), revoked);
});

test('a denylist that cannot be read refuses nobody as revoked, and lets nobody in', async () => {
  const edge = edgeOf(() => Promise.reject(new Error('database gone')));
  await assert.rejects(edge.callerOf(await sign(claims()), requestHeaders()), /database gone/);
});
