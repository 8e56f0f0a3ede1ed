import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { testDeps } from '@landfall/kernel/testing/app';
import { calculateJwkThumbprint } from 'jose';
import { openJwt } from './jwt.ts';
import * as store from './keys.store.ts';
import { createKeys } from './keys.ts';

const DAY = 86_400_000;

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

const states = async ({ deps }: Awaited<ReturnType<typeof testDeps>>) =>
  (await deps.database.system.read(store.list)).map(({ state }) => state);

test('of processes that start at once exactly one makes the current key, and each verifies what any of them signs', async () => {
  await using base = await testDeps();
  const processes = Array.from({ length: 6 }, () => createKeys(base.deps));
  const tokens = await Promise.all(processes.map((keys) => keys.sign('at+jwt', { sub: 'x' })));
  assert.deepEqual(await states(base), ['current', 'next']);
  assert.equal(new Set(tokens.map(kidOf)).size, 1);
  for (const keys of processes) for (const token of tokens) assert.ok(await openJwt(token, keys.find));
});

test('the key that signs next is published before it signs, and what the retired one signed stays good', async () => {
  await using base = await testDeps();
  const [own, other] = [createKeys(base.deps), createKeys(base.deps)];
  const before = (await other.jwks()).keys.map(({ kid }) => kid);
  const old = await own.sign('at+jwt', {});
  await own.rotate();
  const fresh = await own.sign('at+jwt', {});
  assert.deepEqual([kidOf(old), kidOf(fresh)], before);
  assert.deepEqual(await states(base), ['current', 'next', 'retired']);
  for (const token of [old, fresh]) assert.ok(await openJwt(token, other.find));
});

test('of processes that rotate at once one does', async () => {
  await using base = await testDeps();
  const processes = Array.from({ length: 4 }, () => createKeys(base.deps));
  await Promise.all(processes.map((keys) => keys.jwks()));
  await Promise.all(processes.map((keys) => keys.rotate()));
  const found = await states(base);
  assert.equal(found.filter((state) => state === 'current').length, 1);
  assert.equal(found.filter((state) => state === 'next').length, 1);
});

test('a key signs for as long as it is told, and a retired one goes when its last token has', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const old = await keys.sign('at+jwt', {});
  const fresh = { afterMs: 90 * DAY, keptMs: DAY };
  await base.clock.advance(90 * DAY - 1_000);
  await keys.keepFresh(fresh);
  assert.deepEqual(await states(base), ['current', 'next']);
  await base.clock.advance(1_000);
  await keys.keepFresh(fresh);
  assert.ok(await openJwt(old, keys.find));
  await base.clock.advance(DAY + 1_000);
  await keys.keepFresh(fresh);
  assert.equal(await openJwt(old, keys.find), undefined);
  assert.deepEqual(await states(base), ['current', 'next']);
});

test('the private half is sealed: without the root key nobody signs, and the rows hold no key', async () => {
  await using base = await testDeps();
  await createKeys(base.deps).sign('at+jwt', {});
  const unrelated = createKeys({ ...base.deps, secrets: createSecrets([Buffer.alloc(32, 1)]) });
  await assert.rejects(unrelated.sign('at+jwt', {}), /sealed/);
  const [row] = await base.deps.database.system.read(store.list);
  assert.ok(row);
  // PKCS#8 begins with this: a sequence, version 0, id-ecPublicKey.
  assert.equal(row.sealedPrivate.includes(Buffer.from('020100301306072a8648ce3d0201', 'hex')), false);
});

test('a key’s id is its thumbprint', async () => {
  await using base = await testDeps();
  for (const jwk of (await createKeys(base.deps).jwks()).keys)
    assert.equal(await calculateJwkThumbprint({ ...jwk }), jwk.kid);
});
