import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { Fault } from '../core/fault.ts';
import { count } from '../db/columns.ts';
import { createDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { testDeps } from '../testing/app.ts';
import { athOf, type ProofParts, proofBy, proofKey } from '../testing/dpop.ts';
import { prune } from './dpop.store.ts';
import { createDpop, type ProofRequest } from './dpop.ts';

const base = await testDeps();
after(() => base[Symbol.asyncDispose]());
const { deps, clock } = base;
const { database } = deps;

const url = 'https://landfall.test/base/token';
const dpop = createDpop(deps, { requiresNonce: false });
const pair = proofKey();
const seconds = () => Math.floor(clock.now().getTime() / 1000);
const proof = (parts: ProofParts = {}, by = pair): string =>
  proofBy(by, { ...parts, claims: { htm: 'POST', htu: url, iat: seconds(), ...parts.claims } });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const outcome = async (
  overrides: ProofRequest['proof'],
  options: Partial<ProofRequest> = {},
  by = dpop,
): Promise<string> => {
  try {
    return (await by.prove({ proof: overrides, method: 'POST', url, ...options })) ?? 'nothing';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};
const refused = 'invalid_dpop_proof';

test('a proof of each algorithm answers with the thumbprint of its key; no header is no proof', async () => {
  for (const alg of ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const) {
    const other = proofKey(alg);
    assert.equal(await outcome(proof({}, other)), await calculateJwkThumbprint(other.jwk), alg);
  }
  assert.equal(await outcome(undefined), 'nothing');
  assert.equal(await outcome([]), 'nothing');
  assert.equal(await outcome([proof()]), await calculateJwkThumbprint(pair.jwk));
});

test('a proof is good once: the second time, in another process and after a restart it is refused', async () => {
  const dpopProof = proof();
  assert.notEqual(await outcome(dpopProof), refused);
  assert.equal(await outcome(dpopProof), refused);
  const other = createDatabase({ connection: base.connection, max: 4 });
  const restarted = createDpop({ ...deps, database: other }, { requiresNonce: false });
  assert.equal(await outcome(dpopProof, {}, restarted), refused);
  await other.close();
});

test('of eight uses of one proof at once, over two processes, one wins', async () => {
  const other = createDatabase({ connection: base.connection, max: 8 });
  const second = createDpop({ ...deps, database: other }, { requiresNonce: false });
  for (let round = 0; round < 10; round += 1) {
    const dpopProof = proof();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => outcome(dpopProof, {}, index % 2 ? dpop : second)),
    );
    assert.equal(all.filter((word) => word !== refused).length, 1);
  }
  await other.close();
});

test('eight proofs of their own at once are all good, also under one jti by several keys', async () => {
  const proofs = Array.from({ length: 8 }, () => proof({ claims: { jti: 'one' } }, proofKey()));
  const all = await Promise.all([...proofs, proof(), proof()].map((proof) => outcome(proof)));
  assert.equal(new Set(all).size, 9);
  assert.equal(all.includes(refused), false);
});

test('what is no signed JWT of a public key is refused', async () => {
  const secret = proofKey();
  const [head = '', body = '', tail = ''] = proof().split('.');
  const hmacHead = encode({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } });
  const hmac = createHmac('sha256', 'secret').update(`${hmacHead}.${body}`).digest('base64url');
  const hostile: Record<string, ProofRequest['proof']> = {
    empty: '',
    words: 'not a proof',
    'two of five parts': `${head}.${body}.${tail}.${tail}.${tail}`,
    'several headers': [proof(), proof()],
    'joined by a comma': `${proof()}, ${proof()}`,
    padded: `${proof()}=`,
    spaced: ` ${proof()}`,
    'not canonical': `${head}.${body}.${tail.slice(0, -1)}${String.fromCharCode(tail.charCodeAt(85) + 1)}`,
    'no signature': `${head}.${body}.`,
    'alg none': `${encode({ typ: 'dpop+jwt', alg: 'none', jwk: pair.jwk })}.${body}.`,
    'alg none with a signature': proof({ header: { alg: 'none' } }),
    'HS256 with a symmetric jwk': `${hmacHead}.${body}.${hmac}`,
    'HS256 with the public key': proof({ header: { alg: 'HS256' } }),
    'algorithm of another key': proof({ header: { alg: 'RS256' } }),
    'algorithm by a name that objects have': proof({ header: { alg: 'constructor' } }),
    'wrong typ': proof({ header: { typ: 'JWT' } }),
    'no typ': proof({ header: { typ: undefined } }),
    'a critical header': proof({ header: { crit: ['b64'], b64: false } }),
    'no jwk': proof({ header: { jwk: undefined } }),
    'jwk null': proof({ header: { jwk: null } }),
    'jwk of text': proof({ header: { jwk: 'key' } }),
    'private jwk': proof({ header: { jwk: secret.privateKey.export({ format: 'jwk' }) } }, secret),
    'foreign jwk': proof({ header: { jwk: proofKey().jwk } }),
    'key id instead of a jwk': proof({ header: { jwk: undefined, kid: 'k1' } }),
    'point off the curve': proof({ header: { jwk: { ...pair.jwk, x: pair.jwk.y, y: pair.jwk.x } } }),
    'coordinate of another length': proof({ header: { jwk: { ...pair.jwk, x: `${pair.jwk.x}AA` } } }),
    'coordinate padded': proof({ header: { jwk: { ...pair.jwk, x: `${pair.jwk.x}=` } } }),
    'short RSA key': proof({ header: { alg: 'RS256', jwk: { kty: 'RSA', e: 'AQAB', n: 'AQAB' } } }),
    'header is a list': `${encode([])}.${body}.${tail}`,
    'header is null': `${encode(null)}.${body}.${tail}`,
    'payload is text': `${head}.${encode('x')}.${tail}`,
    'payload is no JSON': `${head}.${Buffer.from('{').toString('base64url')}.${tail}`,
    'eight kilobytes': proof({ header: { x5c: ['A'.repeat(8_000)] } }),
    'a hundred kilobytes': 'A'.repeat(100_000),
  };
  for (const [name, proof] of Object.entries(hostile)) assert.equal(await outcome(proof), refused, name);
});

test('a proof for another request, token or time is refused', async () => {
  const claims: Record<string, Readonly<Record<string, unknown>>> = {
    'other method': { htm: 'GET' },
    'method in small letters': { htm: 'post' },
    'no method': { htm: undefined },
    'other host': { htu: 'https://evil.test/base/token' },
    'other scheme': { htu: 'http://landfall.test/base/token' },
    'other port': { htu: 'https://landfall.test:8443/base/token' },
    'other path': { htu: 'https://landfall.test/base/revoke' },
    'path of other letters': { htu: 'https://landfall.test/base/Token' },
    'with a user': { htu: 'https://me@landfall.test/base/token' },
    'no address': { htu: undefined },
    'address of a number': { htu: 7 },
    'no URL': { htu: '/base/token' },
    past: { iat: seconds() - 61 },
    future: { iat: seconds() + 61 },
    'no time': { iat: undefined },
    'time of text': { iat: String(seconds()) },
    'time that is no number': { iat: null },
    'no jti': { jti: undefined },
    'empty jti': { jti: '' },
    'jti of a number': { jti: 1 },
    'jti of 129 characters': { jti: 'j'.repeat(129) },
    'jti of ten kilobytes': { jti: 'j'.repeat(10_240) },
    'jti with NUL': { jti: 'a\0b' },
    'jti with half a pair': { jti: '\ud800' },
  };
  for (const [name, wrong] of Object.entries(claims))
    assert.equal(await outcome(proof({ claims: wrong })), refused, name);
  for (const right of [{ jti: 'j'.repeat(128) }, { iat: seconds() - 60 }, { iat: seconds() + 60 }])
    assert.notEqual(await outcome(proof({ claims: right })), refused, JSON.stringify(right));
});

test('an address counts without query and fragment, in any of its spellings', async () => {
  for (const htu of [`${url}?a=b`, `${url}#c`, 'HTTPS://LANDFALL.TEST:443/base/../base/%74oken'])
    assert.notEqual(await outcome(proof({ claims: { htu } })), refused, htu);
  assert.notEqual(await outcome(proof({ claims: { htu: `${url}/a%2fb` } }), { url: `${url}/a%2Fb?q` }), refused);
});

test('with an access token the proof must name it', async () => {
  const accessToken = 'a.b.c';
  const claims = { ath: athOf(accessToken) };
  assert.notEqual(await outcome(proof({ claims }), { accessToken }), refused);
  for (const ath of [undefined, '', athOf('a.b.d'), accessToken])
    assert.equal(await outcome(proof({ claims: { ath } }), { accessToken }), refused, ath ?? 'none');
});

test('by another key than the one that is wanted a proof is refused, and not written down', async () => {
  const dpopProof = proof();
  assert.equal(await outcome(dpopProof, { jkt: 'other' }), refused);
  assert.equal(await outcome(dpopProof, { jkt: await calculateJwkThumbprint(pair.jwk) }), await outcome(proof()));
});

test('a nonce is asked for where it must be, and a wrong one refused everywhere', async () => {
  const strict = createDpop(deps, { requiresNonce: true });
  const expected = 'use_dpop_nonce';
  assert.equal(await outcome(proof(), {}, strict), expected);
  const nonce = strict.nonce();
  const fresh = () => proof({ claims: { nonce } });
  assert.notEqual(await outcome(fresh(), {}, strict), expected);
  assert.notEqual(await outcome(fresh()), expected, 'another process knows it');
  for (const wrong of ['', 'x', null, 7, nonce.slice(1)])
    assert.equal(await outcome(proof({ claims: { nonce: wrong } })), expected, String(wrong));
  await assert.rejects(strict.prove({ proof: proof(), method: 'POST', url }), { details: { nonce } });
  await clock.advance(300_000);
  assert.notEqual(await outcome(fresh(), {}, strict), expected);
  await clock.advance(150_000);
  assert.equal(await outcome(fresh(), {}, strict), expected);
  assert.notEqual(strict.nonce(), nonce);
});

test('a proof that was refused for its nonce may be sent again with one', async () => {
  const strict = createDpop(deps, { requiresNonce: true });
  const claims = { jti: 'again' };
  assert.equal(await outcome(proof({ claims }), {}, strict), 'use_dpop_nonce');
  assert.equal(
    await outcome(proof({ claims: { ...claims, nonce: strict.nonce() } }), {}, strict),
    await calculateJwkThumbprint(pair.jwk),
  );
});

test('proofs are forgotten once they are stale, and not before', async () => {
  const rows = table('kernel.dpop_proofs', { proofs: count });
  const total = async () =>
    (await database.system.read((query) => query.get(rows, sql`select count(*) as proofs from kernel.dpop_proofs`)))
      .proofs;
  await clock.advance(3_600_000);
  await database.system.write(prune);
  assert.equal(await total(), 0);
  const dpopProof = proof({ claims: { iat: seconds() + 60 } });
  await outcome(dpopProof);
  await clock.advance(120_000);
  await database.system.write(prune);
  assert.equal(await outcome(dpopProof), refused);
  await clock.advance(181_000);
  await database.system.write(prune);
  assert.equal(await total(), 0);
});

test('a database that is gone lets no proof through', async () => {
  const removed = createDatabase({ connection: { ...base.connection, host: '127.0.0.1', port: 1 }, max: 2 });
  const alone = createDpop({ ...deps, database: removed }, { requiresNonce: false });
  assert.equal(await outcome(proof(), {}, alone), 'SYS_DATABASE_ERROR');
  await removed.close();
});
