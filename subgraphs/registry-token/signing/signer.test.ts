import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createLog, type Log, silentLog } from '@landfall/kernel/system/log';
import { testDeps } from '@landfall/kernel/testing/app';
import { createHousekeeping } from '../housekeeping.ts';
import * as store from './certificates.store.ts';
import { issueAuthority, issueLeaf, newKey } from './certificates.ts';
import type { SigningKey } from './key-file.ts';
import { createSigner } from './signer.ts';

const DAY = 86_400_000;
const MADE = { key: undefined, keyId: undefined };

const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
const leafOf = (token: string) => new X509Certificate(Buffer.from(headerOf(token).x5c[0], 'base64'));
const rowsOf = (deps: Awaited<ReturnType<typeof testDeps>>['deps']) => deps.database.system.read(store.current);

test('of processes that start at once one makes the authority and the leaf, and all sign with them', async () => {
  await using base = await testDeps();
  const signers = Array.from({ length: 6 }, () => createSigner(base.deps, MADE));
  const tokens = await Promise.all(signers.map((signer) => signer.sign({ sub: 'x' })));
  assert.equal(new Set(tokens.map((token) => leafOf(token).fingerprint256)).size, 1);
  assert.equal((await rowsOf(base.deps)).length, 2);
  const authority = new X509Certificate((await createSigner(base.deps, MADE).state()).rootCertificates);
  for (const token of tokens)
    assert.ok(leafOf(token).checkIssued(authority) && leafOf(token).verify(authority.publicKey));
});

test('of processes that rotate at once one does, and the authority stays', async () => {
  await using base = await testDeps();
  const signers = Array.from({ length: 4 }, () => createSigner(base.deps, MADE));
  const before = await Promise.all(signers.map((signer) => signer.state()));
  await Promise.all(signers.map((signer) => signer.rotate()));
  const after = await Promise.all(signers.map((signer) => signer.state()));
  assert.equal(new Set(after.map(({ keyId }) => keyId)).size, 1);
  assert.notEqual(after[0]?.keyId, before[0]?.keyId);
  assert.equal(after[0]?.rootCertificates, before[0]?.rootCertificates);
});

test('a leaf of ninety days is replaced after sixty, by the duty, without a word from anybody', async () => {
  await using base = await testDeps();
  const { clock, deps } = base;
  const signer = createSigner(deps, MADE);
  const { run } = createHousekeeping({ ...deps, signer, log: silentLog });
  const first = await signer.state();
  assert.equal(first.leafExpiresAt.getTime() - clock.now().getTime(), 90 * DAY);
  await clock.advance(60 * DAY - 1_000);
  await run();
  assert.equal((await signer.state()).keyId, first.keyId);
  await clock.advance(1_000);
  await run();
  const second = await signer.state();
  assert.notEqual(second.keyId, first.keyId);
  assert.equal(leafOf(await signer.sign({})).validToDate.getTime(), clock.now().getTime() + 90 * DAY);
});

test('a process follows a rotation of another one within a minute', async () => {
  await using base = await testDeps();
  const [own, other] = [createSigner(base.deps, MADE), createSigner(base.deps, MADE)];
  await Promise.all([own.state(), other.state()]);
  await own.rotate();
  await base.clock.advance(61_000);
  assert.equal((await other.state()).keyId, (await own.state()).keyId);
});

// spec: 2.2/settings-signing
test('a bare key signs under an authority that is made for it, and its leaf is renewed over the same key', async () => {
  await using base = await testDeps();
  const key: SigningKey = { privateKey: newKey(), chain: [] };
  const signer = createSigner(base.deps, { key, keyId: 'ours' });
  const first = await signer.sign({});
  assert.equal(headerOf(first).kid, 'ours');
  assert.ok(leafOf(first).checkPrivateKey(key.privateKey));
  await base.clock.advance(61 * DAY);
  await signer.keepFresh(30 * DAY);
  const second = await signer.sign({});
  assert.notEqual(leafOf(second).serialNumber, leafOf(first).serialNumber);
  assert.ok(leafOf(second).checkPrivateKey(key.privateKey));
  assert.ok(
    (await rowsOf(base.deps)).every(({ kind, sealedPrivate }) => (kind === 'leaf') === (sealedPrivate === null)),
  );
  const created = createSigner(base.deps, MADE);
  assert.equal(leafOf(await created.sign({})).checkPrivateKey(key.privateKey), false);
});

const chained = async (now: Date): Promise<SigningKey> => {
  const [above, privateKey] = [newKey(), newKey()];
  const certificate = await issueAuthority(above, now);
  return { privateKey, chain: [await issueLeaf(privateKey, { certificate, key: above }, now), certificate] };
};

test('a key with its certificates is used as it is, and its root goes to registries, not into tokens', async () => {
  await using base = await testDeps();
  const key = await chained(base.clock.now());
  const signer = createSigner(base.deps, { key, keyId: undefined });
  const { x5c } = headerOf(await signer.sign({}));
  assert.deepEqual(x5c, [key.chain[0]?.raw.toString('base64')]);
  assert.equal((await signer.state()).rootCertificates, key.chain[1]?.toString());
  assert.deepEqual(await rowsOf(base.deps), []);
});

test('before a leaf ends that nobody here renews, the log says so and what to do', async () => {
  await using base = await testDeps();
  const signer = createSigner(base.deps, { key: await chained(base.clock.now()), keyId: undefined });
  const lines: string[] = [];
  const log: Log = createLog({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const { run } = createHousekeeping({ ...base.deps, signer, log });
  await run();
  assert.deepEqual(lines, []);
  await base.clock.advance(80 * DAY);
  await run();
  assert.match(lines[0] ?? '', /"daysLeft":10.*expire soon; renew the certificates in RegistryToken:Signing:Key/);
  await base.clock.advance(11 * DAY);
  await run();
  assert.match(lines[1] ?? '', /registries refuse every token/);
});

test('the private halves are sealed: without the root key nobody signs', async () => {
  await using base = await testDeps();
  await createSigner(base.deps, MADE).sign({});
  const unrelated = createSigner({ ...base.deps, secrets: createSecrets([Buffer.alloc(32, 1)]) }, MADE);
  await assert.rejects(unrelated.sign({}), /sealed/);
  for (const { sealedPrivate } of await rowsOf(base.deps))
    assert.equal(sealedPrivate?.includes(Buffer.from('020100301306072a8648ce3d0201', 'hex')), false);
});
