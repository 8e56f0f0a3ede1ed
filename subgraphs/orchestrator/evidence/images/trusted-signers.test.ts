import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createKeys, type KeyKind, pemOf } from '@landfall/attestation/admission/signers.fixture';
import { createSigstore, type Sigstore } from '@landfall/attestation/admission/sigstore.fixture';
import { type CatalogueApp, catalogueApp, refusal } from '../../testing/catalogue-app.ts';

let app: CatalogueApp;
let sigstore: Sigstore;
before(async () => {
  app = await catalogueApp();
  sigstore = await createSigstore();
});
after(() => app[Symbol.asyncDispose]());

let count = 0;
const create = (overrides: object) => {
  count += 1;
  const defaults = { name: `Signer ${count}`, kind: 'key', purposes: ['image'] };
  return app.module.trustedSigners.create(app.caller('operator'), { ...defaults, ...overrides });
};

const identity = () => ({
  kind: 'identity',
  issuer: 'https://token.example',
  identity: 'https://git.example/build@refs/heads/main',
  trustedRoot: sigstore.root(),
});

const ecPem = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'pem' }).toString();

test('a key of each kind that is taken gets its fingerprint', async () => {
  for (const kind of ['p256', 'p384', 'ed25519', 'rsa'] satisfies KeyKind[]) {
    const signer = await create({ publicKey: `\n${pemOf(createKeys(kind))}\n` });
    assert.match(signer.keyId ?? '', /^[0-9a-f]{64}$/, kind);
    assert.deepEqual([signer.kind, signer.issuer, signer.version], ['key', null, 1]);
  }
});

test('any other key is refused with its reason', async () => {
  const { privateKey } = createKeys();
  const dsa = generateKeyPairSync('dsa', { modulusLength: 2048 });
  const refused: readonly (readonly [string, string, RegExp])[] = [
    [pemOf(createKeys('rsa', 1024)), 'VAL_INVALID_VALUE', /1024 bits/],
    [ecPem('P-521'), 'VAL_INVALID_VALUE', /secp521r1/],
    [ecPem('secp256k1'), 'VAL_INVALID_VALUE', /secp256k1/],
    [dsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'VAL_INVALID_VALUE', /dsa/],
    [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'VAL_INVALID_FORMAT', /public key/],
    [(await sigstore.fulcio.issue()).pem, 'VAL_INVALID_FORMAT', /public key/],
    [`${pemOf(createKeys())}${pemOf(createKeys())}`, 'VAL_INVALID_FORMAT', /nothing beside/],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'VAL_INVALID_FORMAT', /cannot be read/],
    ['no key', 'VAL_INVALID_FORMAT', /PEM/],
  ];
  for (const [publicKey, code, message] of refused)
    await assert.rejects(create({ publicKey }), (error) => {
      assert.ok(refusal(code)(error), String(error));
      assert.match(String(error), message);
      return true;
    });
});

test('an identity needs its issuer, its name and a root that can vouch for it', async () => {
  assert.equal((await create(identity())).identity, identity().identity);
  await assert.rejects(create({ ...identity(), issuer: undefined }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(create({ ...identity(), publicKey: pemOf(createKeys()) }), refusal('VAL_INVALID_VALUE'));
  const [log] = sigstore.logs('old');
  const roots = [
    'not JSON',
    '{}',
    '{"mediaType":1}',
    '{"a":1,"a":2}',
    sigstore.root({ certificateAuthorities: [] }),
    sigstore.root({ tlogs: [] }),
    sigstore.root({ tlogs: [{ ...log, publicKey: { ...log?.publicKey, validFor: undefined } }] }),
    sigstore.root({ tlogs: [{ ...log, publicKey: { ...log?.publicKey, rawBytes: 'AAAA' } }] }),
    sigstore.root({ certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: 'AAAA' }] } }] }),
  ];
  for (const trustedRoot of roots)
    await assert.rejects(create({ ...identity(), trustedRoot }), refusal('VAL_INVALID_VALUE'), trustedRoot);
});

test('who is removed is trusted no longer, and the name is free', async () => {
  const signer = { name: 'Once', publicKey: pemOf(createKeys()) };
  const { id, version } = await create(signer);
  await assert.rejects(create(signer), refusal('RES_ALREADY_EXISTS', { name: 'Once' }));
  const operator = app.caller('operator');
  const remove = (expectedVersion: number) => app.module.trustedSigners.remove(operator, { id, expectedVersion });
  await assert.rejects(remove(version + 1), refusal('RES_VERSION_CONFLICT'));
  assert.equal((await remove(version)).version, version + 1);
  await assert.rejects(remove(version + 1), refusal('RES_NOT_FOUND'));
  const names = (await app.module.trustedSigners.list(app.caller('viewer'), {})).map(({ name }) => name);
  assert.ok(!names.includes('Once'));
  assert.ok(await create(signer));
});

test('a key or an identity is trusted once, and who trusts it again is told under which name', async () => {
  const operator = app.caller('operator');
  const other = { issuer: 'https://token.example', identity: `https://git.example/${'x'.repeat(2000)}` };
  for (const signer of [{ publicKey: pemOf(createKeys()) }, { ...identity(), ...other }]) {
    const first = await create(signer);
    const repeated = { ...signer, purposes: ['build'], builderId: 'https://build.example' };
    await assert.rejects(create(repeated), refusal('RES_ALREADY_EXISTS', { name: first.name }));
    const both = await Promise.allSettled([create({ ...repeated, name: first.name }), create(repeated)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await app.module.trustedSigners.remove(operator, { id: first.id, expectedVersion: first.version });
    const together = await Promise.allSettled([create(signer), create(signer)]);
    const refused = together.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.deepEqual(
      refused.map((error) => refusal('RES_ALREADY_EXISTS')(error)),
      [true],
    );
  }
});

test('only who administers says whom to trust', async () => {
  const input = { name: 'Mine', kind: 'key', purposes: ['image'], publicKey: pemOf(createKeys()) };
  const { trustedSigners } = app.module;
  await assert.rejects(trustedSigners.create(app.caller('viewer'), input), refusal('PERM_SCOPE_DENIED'));
  await assert.rejects(create({ ...input, purposes: [] }), refusal('VAL_TOO_SHORT'));
  await assert.rejects(create({ ...input, purposes: ['image', 'image'] }), refusal('VAL_INVALID_VALUE'));
});
