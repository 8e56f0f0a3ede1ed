import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Fault } from '../core/fault.ts';
import { createHttpClient } from '../http/client.ts';
import { openEgress } from '../system/egress.ts';
import { fixedClock } from '../testing/clock.ts';
import { createKeys, issuerKeySet } from './keys.ts';

const publicJwk = async (kid: string): Promise<JWK> => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' };
};

/** A key set that can be changed or broken, and counts how often it is read. */
const source = (...initial: JWK[]) => {
  const state = { set: initial, reads: 0, isDown: false };
  const read = async () => {
    state.reads += 1;
    if (state.isDown) throw new Error('down');
    return state.set;
  };
  return { state, read };
};

test('many lookups at once read the set once', async () => {
  const { state, read } = source(await publicJwk('a'));
  const keys = createKeys(read, { clock: fixedClock() });
  const found = await Promise.all(Array.from({ length: 10 }, () => keys.find('a')));
  assert.ok(found.every((key) => key instanceof CryptoKey));
  assert.equal(state.reads, 1);
});

test('an unknown key id reads the set again, but not more often than the cool-down allows', async () => {
  const clock = fixedClock();
  const { state, read } = source(await publicJwk('a'));
  const keys = createKeys(read, { clock, coolDownMs: 10_000 });
  await keys.find('a');
  state.set = [...state.set, await publicJwk('b')];
  assert.equal(await keys.find('b'), undefined);
  assert.equal(state.reads, 1);
  clock.advance(10_000);
  assert.ok(await keys.find('b'));
  for (let attempts = 0; attempts < 5; attempts++) assert.equal(await keys.find(`invented-${attempts}`), undefined);
  assert.equal(state.reads, 2);
});

test('a withdrawn key stops being found once the set is too old', async () => {
  const clock = fixedClock();
  const { state, read } = source(await publicJwk('a'));
  const keys = createKeys(read, { clock, maxAgeMs: 60_000 });
  assert.ok(await keys.find('a'));
  state.set = [];
  assert.ok(await keys.find('a'));
  clock.advance(60_000);
  assert.equal(await keys.find('a'), undefined);
});

test("while the set cannot be read the last one goes on; without any it is our fault, not the token's", async () => {
  const clock = fixedClock();
  const { state, read } = source(await publicJwk('a'));
  state.isDown = true;
  const keys = createKeys(read, { clock, maxAgeMs: 60_000 });
  await assert.rejects(keys.find('a'), (error) => error instanceof Fault && error.code === 'SYS_SERVICE_UNAVAILABLE');
  state.isDown = false;
  assert.ok(await keys.find('a'));
  state.isDown = true;
  clock.advance(60_000);
  assert.ok(await keys.find('a'));
});

test('keys of another kind are no signing keys of ours', async () => {
  const jwk = await publicJwk('a');
  const keys = createKeys(source({ ...jwk, use: 'enc' }, { kty: 'oct', k: 'AAAA', kid: 'b' }).read, {
    clock: fixedClock(),
  });
  assert.equal(await keys.find('a'), undefined);
  assert.equal(await keys.find('b'), undefined);
});

test('another issuer’s keys are where its metadata says, and only if that names the issuer', async () => {
  const documents = new Map<string, unknown>();
  const server = createServer(({ url = '' }, response) => response.end(JSON.stringify(documents.get(url) ?? {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const http = createHttpClient({ egress: openEgress });
  const read = (issuer: string, metadataUrl?: string) => issuerKeySet(http, { issuer, metadataUrl }, () => 'c')();
  const metadata = { issuer: `${origin}/realm`, jwks_uri: `${origin}/keys` };
  documents.set('/.well-known/oauth-authorization-server/realm', metadata).set('/elsewhere', metadata);
  documents.set('/keys', { keys: [{ kty: 'EC', kid: 'k' }] });
  assert.deepEqual(await read(`${origin}/realm`), [{ kty: 'EC', kid: 'k' }]);
  assert.deepEqual(await read(`${origin}/realm`, `${origin}/elsewhere`), [{ kty: 'EC', kid: 'k' }]);
  await assert.rejects(read(`${origin}/other`, `${origin}/elsewhere`), /is not the metadata of/);
  await assert.rejects(read(origin), /is not the metadata of/);
  await http.close();
  server.close();
});
