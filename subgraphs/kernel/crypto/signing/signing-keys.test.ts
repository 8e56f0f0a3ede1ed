import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../core/fault.ts';
import { toTenantId } from '../../core/ids.ts';
import { bytes, text } from '../../db/columns.ts';
import { createDatabase } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { table } from '../../db/table.ts';
import { createLog } from '../../system/log.ts';
import { testDeps } from '../../testing/app.ts';
import { createSecrets } from '../secrets.ts';
import { verifySignature } from './signature.ts';
import type { SigningPurpose } from './signer.ts';
import { createSigningKeys } from './signing-keys.ts';

const directory = await mkdtemp(join(tmpdir(), 'signing-keys-'));
after(() => rm(directory, { recursive: true }));

const statement = Buffer.from('what was said');
const purposes: readonly SigningPurpose[] = ['attestation', 'log', 'manifest'];
const stored = table('kernel.signing_keys.stored', { keyId: text, sealedPrivate: bytes.nullable() });

const refusal = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === code && message.test(error.message);

/** A key file as openssl writes it. */
const keyFile = async (name: string, { mode = 0o600, curve = 'P-256' } = {}): Promise<string> => {
  const path = join(directory, name);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
  await writeFile(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  await chmod(path, mode);
  return path;
};

test('a key is made on first use, of the kind that verifiers of its purpose expect, and signs', async () => {
  await using base = await testDeps();
  const keys = createSigningKeys(base.deps);
  assert.deepEqual(await keys.list('attestation'), []);
  for (const purpose of purposes) {
    const signer = await keys.signer(purpose);
    assert.equal(signer.algorithm, purpose === 'attestation' ? 'ecdsa-p256-sha256' : 'ed25519');
    assert.ok(verifySignature(signer.publicKey, statement, await signer.sign(statement)));
    const { keyId, spki, algorithm } = signer;
    const known = { keyId, purpose, algorithm, spki, validFrom: base.clock.now(), validUntil: null };
    assert.deepEqual(await keys.list(purpose), [known]);
    assert.ok(createPublicKey({ key: spki, format: 'der', type: 'spki' }).equals(signer.publicKey));
  }
});

test('of many processes that begin at once, all sign with one key', async () => {
  await using base = await testDeps();
  const processes = Array.from({ length: 8 }, () => createDatabase({ connection: base.connection, max: 2 }));
  const keys = processes.map((database) => createSigningKeys({ ...base.deps, database }));
  for (const purpose of purposes) {
    const signers = await Promise.all(keys.flatMap((each) => [each.signer(purpose), each.signer(purpose)]));
    assert.equal(new Set(signers.map(({ keyId }) => keyId)).size, 1);
    assert.equal((await createSigningKeys(base.deps).list(purpose)).length, 1);
  }
  await Promise.all(processes.map((database) => database.close()));
});

test('a rotation holds for every process at once, and what the former key signed still verifies', async () => {
  await using base = await testDeps();
  const [first, second] = [createSigningKeys(base.deps), createSigningKeys(base.deps)];
  const former = await second.signer('attestation');
  const signature = await former.sign(statement);
  await base.clock.advance(90_500);
  const next = await first.rotate('attestation');
  assert.equal((await second.signer('attestation')).keyId, next.keyId);
  assert.notEqual(next.keyId, former.keyId);
  const [newest, oldest] = await second.list('attestation');
  assert.deepEqual([newest, oldest?.keyId], [next, former.keyId]);
  assert.ok(
    oldest && verifySignature(createPublicKey({ key: oldest.spki, format: 'der', type: 'spki' }), statement, signature),
  );
});

test('a period is in whole seconds and outlasts a rotation by what a slow device may take', async () => {
  await using base = await testDeps();
  const keys = createSigningKeys(base.deps);
  await base.clock.advance(700);
  await keys.signer('log');
  await base.clock.advance(60_000);
  const { validFrom, validUntil } = await keys.rotate('log');
  const [, former] = await keys.list('log');
  const rotated = Math.floor(base.clock.now().getTime() / 1_000) * 1_000;
  assert.deepEqual([validFrom.getTime(), validUntil], [rotated, null]);
  assert.equal(former?.validFrom.getTime(), rotated - 60_000);
  assert.equal(former?.validUntil?.getTime(), rotated + 60_000);
});

test('two orders to rotate that come at once are one rotation, and one that comes later is another', async () => {
  await using base = await testDeps();
  const processes = Array.from({ length: 4 }, () => createDatabase({ connection: base.connection, max: 2 }));
  const keys = processes.map((database) => createSigningKeys({ ...base.deps, database }));
  const first = createSigningKeys(base.deps);
  await first.signer('attestation');
  const created = await Promise.all(keys.map((each) => each.rotate('attestation')));
  const current = await first.list('attestation');
  assert.ok(current.length <= 5 && current.filter(({ validUntil }) => validUntil === null).length === 1);
  assert.ok(created.every(({ keyId }) => current.some((key) => key.keyId === keyId)));
  const repeated = await first.rotate('attestation');
  assert.equal((await first.list('attestation')).length, current.length + 1);
  assert.equal((await first.signer('attestation')).keyId, repeated.keyId);
  await Promise.all(processes.map((database) => database.close()));
});

test('a rotation before the first use makes the first key', async () => {
  await using base = await testDeps();
  const keys = createSigningKeys(base.deps);
  const { keyId } = await keys.rotate('log');
  assert.equal((await keys.signer('log')).keyId, keyId);
});

test('keys lie in the database sealed: neither another root key nor another row’s name opens them', async () => {
  await using base = await testDeps();
  const keys = createSigningKeys(base.deps);
  await keys.signer('log');
  const other = createSigningKeys({ ...base.deps, secrets: createSecrets([new Uint8Array(32)]) });
  await assert.rejects(other.signer('log'), /sealed by the root key/);
  const [row] = await base.deps.database.system.read((query) =>
    query.list(stored, sql`select ${stored.columns} from kernel.signing_keys`),
  );
  assert.ok(row?.sealedPrivate && base.deps.secrets.open('', `kernel/signing-key/${row.keyId}`, row.sealedPrivate));
  assert.throws(() => base.deps.secrets.open('', 'kernel/signing-key/0', row.sealedPrivate ?? Buffer.of()));
});

test('tenants can neither read nor end the keys of the platform', async () => {
  await using base = await testDeps();
  const tenant = toTenantId('acme');
  await createSigningKeys(base.deps).signer('log');
  for (const attempt of [sql`select key_id from kernel.signing_keys`, sql`delete from kernel.signing_keys`])
    await assert.rejects(
      base.deps.database.write(tenant, (tx) => tx.run(attempt)),
      /permission denied/,
    );
  await assert.rejects(
    base.deps.database.system.write((tx) => tx.run(sql`delete from kernel.signing_keys`)),
    /permission denied/,
  );
});

test('a configured file ends the sealed key and signs; started without it, the process says what it misses', async () => {
  await using base = await testDeps();
  const sealed = await createSigningKeys(base.deps).signer('attestation');
  const configured = createSigningKeys(base.deps, { attestationKeyFile: await keyFile('one.pem') });
  const signer = await configured.signer('attestation');
  assert.ok(verifySignature(signer.publicKey, statement, await signer.sign(statement)));
  const [newest, former] = await configured.list('attestation');
  assert.deepEqual([newest?.keyId, newest?.validUntil, former?.keyId], [signer.keyId, null, sealed.keyId]);
  assert.ok(former?.validUntil);
  assert.notEqual((await configured.signer('log')).keyId, signer.keyId);
  const without = createSigningKeys(base.deps);
  await assert.rejects(without.signer('attestation'), refusal('RES_CONFLICT', /is kept in a file/));
  await assert.rejects(configured.rotate('attestation'), refusal('RES_CONFLICT', /configure another/));
  const { keyId } = await without.rotate('attestation');
  assert.equal((await without.signer('attestation')).keyId, keyId);
});

test('many processes adopt a configured file once, and a key that was ended never signs again', async () => {
  await using base = await testDeps();
  const [one, two] = [await keyFile('first.pem'), await keyFile('second.pem')];
  const withFile = (attestationKeyFile: string) => createSigningKeys(base.deps, { attestationKeyFile });
  const many = await Promise.all(Array.from({ length: 6 }, () => withFile(one).signer('attestation')));
  assert.equal(new Set(many.map(({ keyId }) => keyId)).size, 1);
  assert.equal((await withFile(one).list('attestation')).length, 1);
  await withFile(two).signer('attestation');
  await assert.rejects(withFile(one).signer('attestation'), refusal('RES_CONFLICT', /has been ended/));
});

// spec: 7.2/SYS_VAULT_ERROR
test('a key file that others may read, that is gone or that holds another key is refused by its name', async () => {
  await using base = await testDeps();
  const withFile = (attestationKeyFile: string) => createSigningKeys(base.deps, { attestationKeyFile });
  const refused = (path: string, reason: RegExp) =>
    assert.rejects(withFile(path).signer('attestation'), refusal('SYS_VAULT_ERROR', reason));
  for (const mode of [0o640, 0o604, 0o644]) await refused(await keyFile(`open-${mode}.pem`, { mode }), /mode to 0600/);
  await refused(join(directory, 'missing.pem'), /missing\.pem cannot be opened/);
  await refused(await keyFile('p384.pem', { curve: 'P-384' }), /not a P-256 key/);
  const odd = join(directory, 'odd.pem');
  await writeFile(odd, 'hush: this may be a password', { mode: 0o600 });
  await refused(odd, /odd\.pem is not an unencrypted private key in PEM/);
  await assert.rejects(withFile(odd).signer('attestation'), (error) => !String(error).includes('hush'));
  await writeFile(odd, Buffer.alloc(70_000), { mode: 0o600 });
  await refused(odd, /too large/);
});

test('a file that is put right is read at the next use', async () => {
  await using base = await testDeps();
  const path = await keyFile('late.pem', { mode: 0o644 });
  const keys = createSigningKeys(base.deps, { attestationKeyFile: path });
  await assert.rejects(keys.signer('attestation'), /0600/);
  await chmod(path, 0o600);
  assert.equal((await keys.signer('attestation')).algorithm, 'ecdsa-p256-sha256');
});

test('the log names keys and never holds one', async () => {
  await using base = await testDeps();
  const lines: string[] = [];
  const log = createLog({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const keys = createSigningKeys({ ...base.deps, log });
  const { keyId } = await keys.rotate('attestation');
  await createSigningKeys({ ...base.deps, log }, { attestationKeyFile: await keyFile('logged.pem') }).signer(
    'attestation',
  );
  assert.ok(lines.some((line) => line.includes(keyId)));
  assert.ok(lines.every((line) => !/PRIVATE|sealed/.test(line)));
});
