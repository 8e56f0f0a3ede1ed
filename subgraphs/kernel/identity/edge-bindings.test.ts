import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { thumbprintOf } from '../http/client-certificates.ts';
import { type RequestHeaders, readRequestHeaders } from '../http/request-headers.ts';
import { challenge } from '../routes/dialects/challenge.ts';
import { testDeps } from '../testing/app.ts';
import { athOf, proofBy, proofKey } from '../testing/dpop.ts';
import { denyTokensBefore, isRevoked, removeStop, resumeTenant, revoke, stop } from './denylist.ts';
import { createDpop } from './dpop.ts';
import { createEdge } from './edge.ts';
import { createKeys } from './keys.ts';

const base = await testDeps();
after(() => base[Symbol.asyncDispose]());
const { deps, clock } = base;
const { database } = deps;

const signer = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(signer.publicKey)), kid: 'k1', use: 'sig' };
const edge = createEdge({
  issuer: 'http://auth',
  audience: 'landfall',
  keys: createKeys(async () => [jwk], { clock }),
  clock,
  isRevoked: (names) => database.system.read((query) => isRevoked(query, names)),
  proofs: { dpop: createDpop(deps, { requiresNonce: false }), baseUrl: 'https://landfall.test' },
});
const seconds = () => Math.floor(clock.now().getTime() / 1000);

const tokenWith = (cnf?: object, overrides: object = {}) =>
  new SignJWT({
    client_id: 'client-1',
    scope: 'orch:read',
    'svc:tenant': 'acme',
    ...(cnf && { cnf }),
    ...overrides,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    .setIssuer('http://auth')
    .setAudience('landfall')
    .setSubject('user-1')
    .setJti(deps.ids.uuid())
    .setIssuedAt(seconds())
    .setExpirationTime(seconds() + 900)
    .sign(signer.privateKey);

const pair = proofKey();
const { jkt } = await (async () => {
  const proof = proofBy(pair, { claims: { htm: 'GET', htu: 'https://a.test/', iat: seconds() } });
  const dpop = createDpop(deps, { requiresNonce: false });
  return { jkt: await dpop.prove({ proof, method: 'GET', url: 'https://a.test/' }) };
})();

const proofFor = (token: string, claims: object = {}, by = pair): string =>
  proofBy(by, {
    claims: {
      htm: 'POST',
      htu: 'https://landfall.test/api/v1/things',
      iat: seconds(),
      ath: athOf(token),
      ...claims,
    },
  });

const request = (authorization: string, ...proofs: string[]): RequestHeaders =>
  readRequestHeaders(
    {
      headers: { authorization, ...(proofs.length > 0 && { dpop: proofs.join(', ') }) },
      rawHeaders: ['Authorization', authorization, ...proofs.flatMap((proof) => ['DPoP', proof])],
      method: 'POST',
      url: '/api/v1/things?a=b',
    },
    deps.ids,
  );

const outcome = async (requestHeaders: RequestHeaders): Promise<string> => {
  try {
    return (await edge.bearer(requestHeaders)).subject;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};
const refused = 'AUTH_TOKEN_INVALID';

test('a token bound to a key is its holder’s under either scheme, and nobody’s without the proof', async () => {
  const token = await tokenWith({ jkt });
  assert.equal(await outcome(request(`DPoP ${token}`, proofFor(token))), 'user-1');
  assert.equal(await outcome(request(`Bearer ${token}`, proofFor(token))), 'user-1');
  assert.equal(await outcome(request(`dpop ${token}`, proofFor(token))), 'user-1');
  assert.equal(await outcome(request(`Bearer ${token}`)), refused);
  assert.equal(await outcome(request(`DPoP ${token}`)), refused);
  await assert.rejects(edge.callerOf(token, request('')), { code: refused });
});

test('the holder of a bound token is challenged for a proof, a bearer for another token', async () => {
  const bound = await tokenWith({ jkt });
  const plain = await tokenWith();
  const schemeOf = (authorization: string): Promise<string> =>
    edge.bearer(request(authorization)).then(
      () => 'let in',
      (error: unknown) =>
        error instanceof Fault ? ((challenge(error)['www-authenticate'] ?? '').split(' ')[0] ?? '') : '',
    );
  assert.equal(await schemeOf(`Bearer ${bound}`), 'DPoP');
  assert.equal(await schemeOf(`DPoP ${bound}`), 'DPoP');
  assert.equal(await schemeOf('DPoP nothing'), 'DPoP');
  assert.equal(await schemeOf('Bearer nothing'), 'Bearer');
  assert.equal(await schemeOf(`DPoP ${plain}`), 'Bearer', 'a proof would be no help');
});

test('a token that was verified a moment ago must be proved again with each request', async () => {
  const token = await tokenWith({ jkt });
  const proof = proofFor(token);
  assert.equal(await outcome(request(`DPoP ${token}`, proof)), 'user-1');
  assert.equal(await outcome(request(`DPoP ${token}`, proof)), refused, 'the proof was used');
  assert.equal(await outcome(request(`DPoP ${token}`)), refused);
});

test('a request that is asked again in the middle of its answer used its proof once', async () => {
  const token = await tokenWith({ jkt });
  const requestHeaders = request(`DPoP ${token}`, proofFor(token));
  assert.equal(await outcome(requestHeaders), 'user-1');
  assert.equal(await outcome(requestHeaders), 'user-1');
  await database.write(toTenantId('acme'), (tx) => stop(tx, 'user', 'user-1'));
  edge.forget();
  assert.equal(await outcome(requestHeaders), 'AUTH_TOKEN_REVOKED');
  await database.write(toTenantId('acme'), (tx) => removeStop(tx, 'user', 'user-1'));
});

test('a proof by another key, for another request or token, or beside a second one is refused with 401', async () => {
  const token = await tokenWith({ jkt });
  const wrong: Record<string, RequestHeaders> = {
    'another key': request(`DPoP ${token}`, proofFor(token, {}, proofKey())),
    'another path': request(`DPoP ${token}`, proofFor(token, { htu: 'https://landfall.test/api/v1/other' })),
    'another host': request(`DPoP ${token}`, proofFor(token, { htu: 'https://evil.test/api/v1/things' })),
    'another method': request(`DPoP ${token}`, proofFor(token, { htm: 'GET' })),
    'another token': request(`DPoP ${token}`, proofFor(`${token}x`)),
    'no ath': request(`DPoP ${token}`, proofFor(token, { ath: undefined })),
    'two proofs': request(`DPoP ${token}`, proofFor(token), proofFor(token)),
    nonsense: request(`DPoP ${token}`, 'x'),
  };
  for (const [name, requestHeaders] of Object.entries(wrong))
    assert.equal(await outcome(requestHeaders), refused, name);
  await assert.rejects(edge.bearer(request(`DPoP ${token}`, proofFor(token, { nonce: 'x' }))), (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.status, 401);
    assert.equal(error.details?.error, 'use_dpop_nonce');
    return typeof error.details.nonce === 'string';
  });
});

test('what a request says of its own host does not move the address that is proved', async () => {
  const token = await tokenWith({ jkt });
  const proof = proofFor(token, { htu: 'https://evil.test/api/v1/things' });
  const names = ['host', 'x-forwarded-host', 'x-original-host'].flatMap((name) => [name, 'evil.test']);
  const rawHeaders = [...['authorization', `DPoP ${token}`, 'dpop', proof], ...names, 'forwarded', 'host=evil.test'];
  const requestHeaders = readRequestHeaders(
    {
      headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test', authorization: `DPoP ${token}`, dpop: proof },
      rawHeaders,
      method: 'POST',
      url: '/api/v1/things',
    },
    deps.ids,
  );
  assert.equal(await outcome(requestHeaders), refused);
  assert.equal(
    await outcome({ ...request(`DPoP ${token}`, proof), target: 'https://evil.test/api/v1/things' }),
    refused,
  );
});

test('eight requests with one proof at once: one is let in', async () => {
  const token = await tokenWith({ jkt });
  const proof = proofFor(token);
  const all = await Promise.all(Array.from({ length: 8 }, () => outcome(request(`DPoP ${token}`, proof))));
  assert.equal(all.filter((word) => word === 'user-1').length, 1);
});

test('a token bound to nothing is a bearer’s: the DPoP scheme is refused, a proof beside it is ignored', async () => {
  const token = await tokenWith();
  assert.equal(await outcome(request(`DPoP ${token}`, proofFor(token))), refused);
  assert.equal(await outcome(request(`Bearer ${token}`, 'x')), 'user-1');
});

test('a token bound to a certificate needs that certificate, whatever its chain', async () => {
  const own = { raw: Buffer.from('mine'), error: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  const token = await tokenWith({ 'x5t#S256': thumbprintOf(own) });
  const bearer = request(`Bearer ${token}`);
  assert.equal(await outcome({ ...bearer, certificate: own }), 'user-1');
  assert.equal(await outcome({ ...bearer, certificate: { raw: Buffer.from('yours'), error: undefined } }), refused);
  assert.equal(await outcome(bearer), refused);
  assert.equal(await outcome({ ...request(`DPoP ${token}`), certificate: own }), refused);
  const both = await tokenWith({ jkt, 'x5t#S256': thumbprintOf(own) });
  assert.equal(await outcome(request(`DPoP ${both}`, proofFor(both))), refused);
  assert.equal(await outcome({ ...request(`DPoP ${both}`), certificate: own }), refused);
  assert.equal(await outcome({ ...request(`DPoP ${both}`, proofFor(both)), certificate: own }), 'user-1');
});

test('a stop of the tenant, the client or the person ends a token at once, until they are let in again', async () => {
  const token = await tokenWith();
  const bearer = request(`Bearer ${token}`);
  const acme = toTenantId('acme');
  const unbound = async () => {
    edge.forget();
    return outcome(bearer);
  };
  for (const [kind, id] of [
    ['client', 'client-1'],
    ['user', 'user-1'],
  ] as const) {
    await database.write(acme, (tx) => stop(tx, kind, id));
    await database.write(acme, (tx) => stop(tx, kind, id));
    assert.equal(await unbound(), 'AUTH_TOKEN_REVOKED', kind);
    await database.write(acme, (tx) => removeStop(tx, kind, id));
    assert.equal(await unbound(), 'user-1', kind);
  }
  await database.system.write((tx) => stop(tx, 'tenant', 'acme'));
  assert.equal(await unbound(), 'AUTH_TOKEN_REVOKED');
  await database.system.write((tx) => resumeTenant(tx, 'acme'));
  await database.write(acme, (tx) => stop(tx, 'user', 'client-1'));
  assert.equal(await unbound(), 'user-1', 'a client of that id is another');
  await database.system.write((tx) => revoke(tx, 'some-other', clock.now()));
  assert.equal(await unbound(), 'user-1');
});

test('a tenant stops no tenant, and lets in again only whom it stopped', async () => {
  const [acme, globex] = [toTenantId('acme'), toTenantId('globex')];
  const denied = (subject: string) => database.system.read((query) => isRevoked(query, { subject }));
  await assert.rejects(
    database.write(acme, (tx) => stop(tx, 'tenant', 'globex')),
    /row-level security/,
  );
  await database.write(globex, (tx) => stop(tx, 'user', 'theirs'));
  await database.write(acme, (tx) => removeStop(tx, 'user', 'theirs'));
  assert.equal(await denied('theirs'), true);
  await database.write(globex, (tx) => removeStop(tx, 'user', 'theirs'));
  assert.equal(await denied('theirs'), false);
});

test('what a client was given before a moment is denied, what comes later is not, and only its own tenant moves it', async () => {
  const [acme, globex] = [toTenantId('acme'), toTenantId('globex')];
  const [early, first, between, second, delayed] = Array.from({ length: 5 }, () => deps.ids.uuid());
  const denied = (jti = '', names = { clientId: 'narrowed', subject: 'somebody' }) =>
    database.system.read((query) => isRevoked(query, { jti, ...names }));
  await database.write(acme, (tx) => denyTokensBefore(tx, 'narrowed', first ?? ''));
  assert.deepEqual([await denied(early), await denied(between)], [true, false]);
  await database.write(acme, (tx) => denyTokensBefore(tx, 'narrowed', second ?? ''));
  await database.write(acme, (tx) => denyTokensBefore(tx, 'narrowed', first ?? ''));
  assert.deepEqual([await denied(between), await denied(delayed)], [true, false]);
  assert.equal(await denied(between, { clientId: 'another', subject: 'narrowed' }), true, 'held by another');
  assert.equal(await denied(between, { clientId: 'another', subject: 'somebody' }), false);
  await assert.rejects(
    database.write(globex, (tx) => denyTokensBefore(tx, 'narrowed', delayed ?? '')),
    /row-level security/,
  );
  await database.write(acme, (tx) => stop(tx, 'client', 'narrowed'));
  assert.equal(await denied(delayed), true);
});

test('the app role lets no tenant in again', async () => {
  await database.system.write((tx) => stop(tx, 'tenant', 'globex'));
  await assert.rejects(
    database.write(toTenantId('globex'), (tx) => resumeTenant(tx, 'globex')),
    /permission denied/,
  );
});
