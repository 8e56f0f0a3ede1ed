import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request as send } from 'node:http';
import { after, test } from 'node:test';
import { athOf, type ProofParts, proofBy, proofKey } from '@landfall/kernel/testing/dpop';
import { authorityApp, basic } from '../testing/authority-app.ts';

const app = await authorityApp();
after(() => app[Symbol.asyncDispose]());
const { ci, introspector } = app.clients;

const pair = proofKey();
const seconds = () => Math.floor(app.clock.now().getTime() / 1000);
const proof = ({ header, claims }: ProofParts = {}, path = '/token', by = pair): string =>
  proofBy(by, {
    ...(header && { header }),
    claims: { htm: 'POST', htu: app.origin + path, iat: seconds(), ...claims },
  });

/** Requests a token over a socket of its own, with these headers beside the usual ones. */
const ask = async (headers: readonly string[], path = '/token') => {
  const body = 'grant_type=client_credentials';
  const request = send(app.origin + path, {
    method: 'POST',
    agent: false,
    headers: [
      ...['Host', new URL(app.origin).host, 'Content-Type', 'application/x-www-form-urlencoded'],
      ...['Content-Length', String(body.length), 'Authorization', basic(ci), ...headers],
    ],
  });
  const [response] = await once(request.end(body), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  const answer: Readonly<Record<string, unknown>> = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: Number(response.statusCode), body: answer, nonce: response.headers['dpop-nonce'] };
};

const challengeOf = async (...proofs: readonly string[]): Promise<string> => {
  const { status, body } = await ask(proofs.flatMap((each) => ['DPoP', each]));
  return `${status} ${body.error ?? body.token_type}`;
};
const refused = '400 invalid_dpop_proof';

test('a token that was asked for with a proof is bound to its key', async () => {
  const { status, body } = await ask(['DPoP', proof()]);
  assert.deepEqual([status, body.token_type], [200, 'DPoP']);
  const { cnf, active } = await app.introspect(body.access_token, introspector);
  assert.equal(active, true);
  assert.match(String(Reflect.get(Object(cnf), 'jkt')), /^[\w-]{43}$/);
  await assert.rejects(app.callerOf(body.access_token), { code: 'AUTH_TOKEN_INVALID' });
  assert.equal(await challengeOf(), '200 Bearer');
});

test('no proof that is hostile gets a token or an error of ours', async () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [head = '', body = '', tail = ''] = proof().split('.');
  const secretHead = encode({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } });
  const mac = createHmac('sha256', 'secret').update(`${secretHead}.${body}`).digest('base64url');
  const hostile: Readonly<Record<string, string>> = {
    'alg none': `${encode({ typ: 'dpop+jwt', alg: 'none', jwk: pair.jwk })}.${body}.`,
    'HS256 by a symmetric jwk': `${secretHead}.${body}.${mac}`,
    'private jwk': proof({ header: { jwk: pair.privateKey.export({ format: 'jwk' }) } }),
    'foreign jwk': proof({ header: { jwk: proofKey().jwk } }),
    'no jwk': proof({ header: { jwk: undefined } }),
    'certificate instead of a jwk': proof({ header: { jwk: undefined, x5c: ['AAAA'] } }),
    'key off its curve': proof({ header: { jwk: { ...pair.jwk, y: pair.jwk.x } } }),
    'wrong typ': proof({ header: { typ: 'at+jwt' } }),
    'an access token': `${encode({ typ: 'at+jwt', alg: 'ES256', jwk: pair.jwk })}.${body}.${tail}`,
    'jti of ten kilobytes': proof({ claims: { jti: 'j'.repeat(6_000) } }),
    'jti with NUL': proof({ claims: { jti: 'a\0' } }),
    'jti that is a list': proof({ claims: { jti: ['a'] } }),
    'no jti': proof({ claims: { jti: undefined } }),
    'wrong htm': proof({ claims: { htm: 'GET' } }),
    'wrong htu': proof({ claims: { htu: 'https://evil.example/token' } }),
    'htu of another endpoint': proof({}, '/revoke'),
    'from the past': proof({ claims: { iat: seconds() - 61 } }),
    'from the future': proof({ claims: { iat: seconds() + 61 } }),
    'iat without end': proof({ claims: { iat: Number.MAX_VALUE } }),
    'eight kilobytes': proof({ header: { x: 'x'.repeat(6_000) } }),
    'not canonical': `${head}.${body}.${tail.slice(0, -1)}${String.fromCharCode(tail.charCodeAt(85) + 1)}`,
    padded: `${head}.${body}.${tail}==`,
    'an empty part': `${head}..${tail}`,
    words: 'DPoP',
  };
  for (const [name, proof] of Object.entries(hostile)) assert.equal(await challengeOf(proof), refused, name);
  assert.equal(await challengeOf(proof(), proof()), refused, 'two headers');
  assert.equal((await ask(['DPoP', 'x'.repeat(20_000)])).status, 431);
  assert.deepEqual(app.bugs, []);
});

test('what a request says of the host it was sent to moves no address', async () => {
  const other = proof({ claims: { htu: 'https://evil.example/token' } });
  for (const header of ['X-Forwarded-Host', 'X-Forwarded-Server', 'X-Original-Host', 'X-Host'])
    assert.equal((await ask(['DPoP', other, header, 'evil.example', 'X-Forwarded-Proto', 'https'])).status, 400);
  assert.equal((await ask(['DPoP', other, 'Forwarded', 'host=evil.example;proto=https'])).status, 400);
});

test('an older path is proved for under its own name', async () => {
  assert.equal((await ask(['DPoP', proof({}, '/oauth/token')], '/oauth/token')).status, 200);
  assert.equal((await ask(['DPoP', proof()], '/oauth/token')).status, 400);
});

test('of eight requests with one proof at once one is answered', async () => {
  for (let round = 0; round < 5; round += 1) {
    const dpopProof = proof();
    const all = await Promise.all(Array.from({ length: 8 }, () => challengeOf(dpopProof)));
    assert.deepEqual(all.toSorted(), ['200 DPoP', ...Array.from({ length: 7 }, () => refused)]);
  }
});

test('a nonce that is not ours is answered with one that is', async () => {
  const { status, body, nonce } = await ask(['DPoP', proof({ claims: { nonce: 'theirs' } })]);
  assert.deepEqual([status, body.error], [400, 'use_dpop_nonce']);
  assert.equal(await challengeOf(proof({ claims: { nonce } })), '200 DPoP');
});

test('a client that fails to authenticate spends no proof', async () => {
  const dpopProof = proof();
  const failed = await app.post(
    '/token',
    { grant_type: 'client_credentials' },
    { dpop: dpopProof, authorization: basic({ ...ci, secret: 'wrong' }) },
  );
  assert.equal(failed.status, 401);
  assert.equal(await challengeOf(dpopProof), '200 DPoP');
});

test('a proof for a resource does not stand for a token, and the other way round', async () => {
  const { body } = await ask(['DPoP', proof({ claims: { ath: athOf('another token') } })]);
  assert.equal(body.token_type, 'DPoP', 'ath is nothing to a token endpoint');
});
