import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Fault } from '../../core/fault.ts';
import { testDeps } from '../../testing/app.ts';
import { needs } from '../../testing/programs.ts';
import { configuredKey } from './configured-key.ts';
import { parsePkcs11Uri } from './pkcs11-uri.ts';
import { verifySignature } from './signature.ts';
import { createSigningKeys } from './signing-keys.ts';

const run = promisify(execFile);
const device = await needs('softhsm2-util', 'pkcs11-tool');
const directory = await mkdtemp(join(tmpdir(), 'pkcs11-'));
const PIN = '24681357';
const statement = Buffer.from('what was said');
const modulePath =
  [
    '/usr/lib/softhsm/libsofthsm2.so',
    '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
    '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  ].find(existsSync) ?? '/usr/lib/softhsm/libsofthsm2.so';

/** A token of the test's own with two keys of which one is ours. */
const makeToken = async (): Promise<void> => {
  const tokens = join(directory, 'tokens');
  await mkdir(tokens, { recursive: true });
  process.env.SOFTHSM2_CONF = join(directory, 'softhsm2.conf');
  await writeFile(process.env.SOFTHSM2_CONF, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`);
  await run('softhsm2-util', ['--init-token', '--free', '--label', 'harbour', '--so-pin', '13571357', '--pin', PIN]);
  for (const [label, id, type] of [
    ['other', '01', 'EC:prime256v1'],
    ['attest', 'a2', 'EC:prime256v1'],
    ['large', 'a3', 'rsa:2048'],
  ] as const)
    await run('pkcs11-tool', [
      '--module',
      modulePath,
      '--token-label',
      'harbour',
      '--login',
      '--pin',
      PIN,
      '--keypairgen',
      '--key-type',
      type,
      '--label',
      label,
      '--id',
      id,
    ]);
};
if (device.skip === undefined) await makeToken();
after(() => rm(directory, { recursive: true }));

const uriOf = (key = 'object=attest', token = 'harbour', module = modulePath, more = ''): string =>
  `pkcs11:token=${token};${key}?module-path=${module}${more}`;

const keysOf = async (attestationPkcs11: string, attestationPin: string | undefined = PIN) => {
  const base = await testDeps();
  return Object.assign(base, { keys: createSigningKeys(base.deps, { attestationPkcs11, attestationPin }) });
};

const refusedAs = (reason: RegExp) => (error: unknown) =>
  error instanceof Fault &&
  error.code === 'SYS_VAULT_ERROR' &&
  reason.test(error.message) &&
  !error.message.includes(PIN);

test('a key in a device signs by its label or its id, many statements at once', device, async () => {
  await using base = await keysOf(uriOf());
  const signer = await base.keys.signer('attestation');
  const signatures = await Promise.all([1, 2, 3, 4].map(() => signer.sign(statement)));
  assert.equal(new Set(signatures.map(String)).size, 4);
  assert.ok(signatures.every((signature) => verifySignature(signer.publicKey, statement, signature)));
  const byId = createSigningKeys(base.deps, { attestationPkcs11: uriOf('id=%a2'), attestationPin: PIN });
  assert.equal((await byId.signer('attestation')).keyId, signer.keyId);
  assert.deepEqual(
    (await base.keys.list('attestation')).map(({ keyId, validUntil }) => [keyId, validUntil]),
    [[signer.keyId, null]],
  );
});

test('another object of the token is another key, which ends the former', device, async () => {
  await using base = await keysOf(uriOf());
  const former = await base.keys.signer('attestation');
  const next = await createSigningKeys(base.deps, {
    attestationPkcs11: uriOf('object=other'),
    attestationPin: PIN,
  }).signer('attestation');
  assert.notEqual(next.keyId, former.keyId);
  const [newest, completed] = await base.keys.list('attestation');
  assert.deepEqual(
    [newest?.keyId, completed?.keyId, completed?.validUntil === null],
    [next.keyId, former.keyId, false],
  );
  const unconfigured = createSigningKeys(base.deps);
  await assert.rejects(unconfigured.signer('attestation'), /is kept in a device/);
});

test('the PIN may lie in a file that only its owner reads', device, async () => {
  const pinFile = join(directory, 'pin');
  await writeFile(pinFile, `${PIN}\n`, { mode: 0o600 });
  const uri = uriOf('object=attest', 'harbour', modulePath, `&pin-source=file:${pinFile}`);
  await using base = await testDeps();
  const signer = await createSigningKeys(base.deps, { attestationPkcs11: uri }).signer('attestation');
  assert.ok(verifySignature(signer.publicKey, statement, await signer.sign(statement)));
  await chmod(pinFile, 0o644);
  const exposed = createSigningKeys(base.deps, { attestationPkcs11: uri });
  await assert.rejects(exposed.signer('attestation'), refusedAs(/open to others/));
});

test('a wrong PIN is offered once, so that the token does not lock itself', device, async () => {
  await using base = await keysOf(uriOf(), '00000000');
  await assert.rejects(base.keys.signer('attestation'), refusedAs(/CKR_PIN_INCORRECT/));
  for (let repeated = 0; repeated < 3; repeated++)
    await assert.rejects(base.keys.signer('attestation'), refusedAs(/not offered again/));
  await using right = await keysOf(uriOf());
  assert.ok(await right.keys.signer('attestation'));
});

test('what is missing is named: token, key, module, PIN, curve', device, async () => {
  await using base = await testDeps();
  for (const [uri, reason] of [
    [uriOf('object=attest', 'nowhere'), /nowhere failed: No slot/],
    [uriOf('object=nothing'), /no key of the configured name/],
    [uriOf('id=%ff'), /failed/],
    [uriOf('object=attest', 'harbour', '/nowhere/module.so'), /failed: sc_dlopen/],
    [uriOf('object=large'), /not P-256/],
  ] as const) {
    const keys = createSigningKeys(base.deps, { attestationPkcs11: uri, attestationPin: PIN });
    await assert.rejects(keys.signer('attestation'), refusedAs(reason));
  }
  const without = createSigningKeys(base.deps, { attestationPkcs11: uriOf() });
  await assert.rejects(without.signer('attestation'), refusedAs(/needs a PIN/));
});

test('a device that goes away fails the signature, and signs again when it is back', device, async () => {
  await using base = await keysOf(uriOf());
  const signer = await base.keys.signer('attestation');
  const [own, unreachable] = [join(directory, 'tokens'), join(directory, 'away')];
  await rename(own, unreachable);
  await assert.rejects(signer.sign(statement), refusedAs(/harbour failed/));
  await rename(unreachable, own);
  assert.ok(verifySignature(signer.publicKey, statement, await signer.sign(statement)));
});

test('a URI is read by RFC 7512, and what cannot be honoured is refused without repeating it', () => {
  assert.deepEqual(
    parsePkcs11Uri('pkcs11:token=The%20Harbour;object=a%3Bb;type=private?module-path=/m.so&pin-source=file:/run/pin'),
    {
      token: 'The Harbour',
      object: 'a;b',
      id: undefined,
      modulePath: '/m.so',
      pinFile: '/run/pin',
    },
  );
  assert.equal(parsePkcs11Uri('pkcs11:token=t;id=%00%ff?module-path=/m.so').id, '00ff');
  for (const [uri, reason] of [
    ['http://example/', /begin with pkcs11:/],
    ['pkcs11:object=a?module-path=/m.so', /token is missing/],
    ['pkcs11:token=t?module-path=/m.so', /object or id is missing/],
    ['pkcs11:token=t;object=a', /module-path/],
    ['pkcs11:token=t;object=a?module-path=m.so', /module-path/],
    ['pkcs11:token=t;object=a;serial=1?module-path=/m.so', /serial is no attribute/],
    ['pkcs11:token=t;token=u;object=a?module-path=/m.so', /token is there twice/],
    ['pkcs11:token=t;object=a;type=cert?module-path=/m.so', /type is not private/],
    ['pkcs11:token=t;object=a?module-path=/m.so&pin-value=1234', /does not belong in the URI/],
    ['pkcs11:token=t;object=a?module-path=/m.so&pin-source=pin', /pin-source names no file/],
    ['pkcs11:token=t;object=%zz?module-path=/m.so', /not name=value/],
  ] as const)
    assert.throws(
      () => parsePkcs11Uri(uri),
      (error) => error instanceof Error && reason.test(error.message) && !error.message.includes('1234'),
    );
});

test('a file and a device at once are refused at the start', () => {
  assert.throws(() => configuredKey({ attestationKeyFile: '/key.pem', attestationPkcs11: uriOf() }), /both set/);
  assert.equal(configuredKey({}), undefined);
});
