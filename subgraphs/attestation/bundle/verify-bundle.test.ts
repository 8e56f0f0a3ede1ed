import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import fc from 'fast-check';
import {
  acceptsAlone,
  createKey,
  createPlatform,
  DEPLOYMENT,
  ORIGIN,
  PREDICATE_TYPE,
  SUBJECT,
  statement,
  verificationKey,
} from './bundle.fixture.ts';
import { Editing, mutations } from './mutations.fixture.ts';
import { MAX_BUNDLE_BYTES } from './parse-bundle.ts';
import { parseTrust } from './trust.ts';
import { checkNames } from './verification.ts';
import { verifyBundle } from './verify-bundle.ts';

const expected = { subjectDigest: `sha256:${SUBJECT}`, predicateType: PREDICATE_TYPE, deploymentId: DEPLOYMENT };

test('a bundle of ours verifies, check by check', async () => {
  const platform = createPlatform();
  const found = verifyBundle(await platform.bundle(), parseTrust(platform.trust), expected);
  assert.deepEqual(
    checkNames.filter((name) => found.checks[name] !== 'pass'),
    ['consistency', 'timestamp'],
  );
  assert.equal(found.verified, true);
  assert.equal(found.errorMessage, undefined);
  assert.deepEqual({ ...found.log, rootHash: '' }, { origin: ORIGIN, index: 7, treeSize: 8, rootHash: '' });
});

test('nothing expected is nothing verified: the subject and the predicate are skipped', async () => {
  const platform = createPlatform();
  const found = verifyBundle(await platform.bundle(), parseTrust(platform.trust));
  assert.equal(found.verified, false);
  assert.deepEqual([found.checks.subject, found.checks.predicate], ['skipped', 'skipped']);
  assert.match(found.errorMessage ?? '', /^subject-unknown: /);
});

test('Sigstore’s own verifier accepts our bundle offline, by our trusted root', async () => {
  const platform = createPlatform();
  assert.equal(acceptsAlone(await platform.bundle(), platform.trust), true);
});

test('every change is refused by the check that it concerns, also where the library lets it pass', async () => {
  const platform = createPlatform();
  const original = await platform.bundle();
  const trust = parseTrust(platform.trust);
  for (const { name, check, slug, isLeftToUs = false, change } of mutations) {
    const bundle = new Editing(original);
    await change(bundle, platform);
    const found = verifyBundle(bundle.text, trust, expected);
    assert.equal(found.verified, false, name);
    assert.equal(found.checks[check], 'fail', `${name}: ${found.errorMessage}`);
    assert.match(found.details[check] ?? '', new RegExp(`^${slug}: `), name);
    assert.equal(acceptsAlone(bundle.text, platform.trust), isLeftToUs, `${name}: the library`);
  }
});

test('a statement that says something else is refused, though it is signed and logged', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const statementJson = JSON.parse(statement().toString());
  const cases = [
    { change: { _type: 'https://in-toto.io/Statement/v0.1' }, check: 'subject', slug: 'statement-malformed' },
    { change: { subject: [] }, check: 'subject', slug: 'statement-malformed' },
    { change: { subject: [{ digest: { sha256: 'cd'.repeat(32) } }] }, check: 'subject', slug: 'subject-differs' },
    { change: { predicateType: 'https://example.com/other' }, check: 'predicate', slug: 'predicate-type-differs' },
    { change: { predicate: { deploymentId: 'another' } }, check: 'predicate', slug: 'deployment-differs' },
  ] as const;
  for (const { change, check, slug } of cases) {
    const bundle = await platform.bundle(Buffer.from(canonicalJson({ ...statementJson, ...change })));
    const found = verifyBundle(bundle, trust, expected);
    assert.equal(found.verified, false, slug);
    assert.match(found.details[check] ?? '', new RegExp(`^${slug}: `));
    assert.equal(acceptsAlone(bundle, platform.trust), true);
  }
});

test('a statement that names a member twice, or that is no in-toto statement, says nothing', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const text = statement().toString();
  const doubled = await platform.bundle(Buffer.from(text.replace('{', '{"_type":"https://in-toto.io/Statement/v1",')));
  assert.match(verifyBundle(doubled, trust, expected).details.subject ?? '', /^statement-malformed: /);
  const other = await platform.bundle(statement(), 'application/json');
  assert.match(verifyBundle(other, trust, expected).details.signature ?? '', /^payload-type: /);
});

test('a statement that no trusted key signed is not read at all', async () => {
  const platform = createPlatform();
  const other = await createPlatform().bundle(Buffer.from('{"_type":"x"'));
  const { checks, details } = verifyBundle(other, parseTrust(platform.trust), expected);
  assert.deepEqual([checks.signature, checks.subject, checks.predicate], ['fail', 'skipped', 'skipped']);
  assert.match(details.subject ?? '', /^statement-unsigned: /);
});

test('what is expected is all compared: every subject, and the whole predicate', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const bundle = await platform.bundle();
  const other = `sha256:${'cd'.repeat(32)}`;
  const complete = {
    subjectDigests: [`sha256:${SUBJECT}`],
    predicate: { environment: 'prod', deploymentId: DEPLOYMENT },
  };
  assert.equal(verifyBundle(bundle, trust, complete).verified, true);
  const more = { ...complete, subjectDigests: [`sha256:${SUBJECT}`, other] };
  assert.match(verifyBundle(bundle, trust, more).errorMessage ?? '', /^subject-differs: /);
  const changed = { ...complete, predicate: { deploymentId: DEPLOYMENT } };
  assert.match(verifyBundle(bundle, trust, changed).errorMessage ?? '', /^predicate-differs: /);
});

test('a timestamp that is gone is refused where there once was one, and is skipped otherwise', async () => {
  const platform = createPlatform();
  const found = verifyBundle(await platform.bundle(), parseTrust(platform.trust), { ...expected, isTimestamped: true });
  assert.equal(found.verified, false);
  assert.match(found.errorMessage ?? '', /^timestamp-missing: /);
});

test('a signature under a certificate is none of a trusted key', async () => {
  const platform = createPlatform();
  const bundle = new Editing(await platform.bundle());
  bundle.set('verificationMaterial.publicKey', () => undefined);
  bundle.set('verificationMaterial.certificate', () => ({ rawBytes: 'AAAA' }));
  const found = verifyBundle(bundle.text, parseTrust(platform.trust), expected);
  assert.match(found.errorMessage ?? '', /^signer-unknown: .*certificate/);
});

test('after a rotation the log has two keys, and what either signed verifies', async () => {
  const first = createPlatform();
  const completed = new Date('2026-06-01T00:00:00Z');
  const second = createPlatform({ earlierLogKeys: [verificationKey(first.logKey, 'log', completed)] });
  const rotated = JSON.parse(second.trust);
  rotated.keys.push(...JSON.parse(first.trust).keys);
  const trust = parseTrust(JSON.stringify(rotated));
  for (const { bundle } of [first, second])
    assert.equal(verifyBundle(await bundle(), trust, expected).errorMessage, undefined);
  const unrotated = verifyBundle(await first.bundle(), parseTrust(createPlatform().trust), expected);
  assert.match(unrotated.details.checkpoint ?? '', /^log-unknown: /);
});

test('a witness beside the log changes nothing', async () => {
  const platform = createPlatform();
  const bundle = new Editing(await platform.bundle());
  const line = Buffer.concat([Buffer.from('abcd'), Buffer.alloc(72, 1)]).toString('base64');
  bundle.write(
    'verificationMaterial.tlogEntries.0.inclusionProof.checkpoint.envelope',
    (old) => `${old}\u2014 witness.example ${line}\n`,
  );
  assert.equal(verifyBundle(bundle.text, parseTrust(platform.trust), expected).verified, true);
});

test('no byte of a bundle can be another', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const bytes = Buffer.from(await platform.bundle());
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
      const other = Buffer.from(bytes);
      other.writeUInt8(bytes.readUInt8(at) ^ difference, at);
      assert.equal(verifyBundle(other.toString('utf8'), trust, expected).verified, false);
    }),
    { numRuns: 1000 },
  );
});

test('no byte can be missing, and none can be doubled', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const text = await platform.bundle();
  for (let index = 0; index < text.length; index++) {
    const without = text.slice(0, index) + text.slice(index + 1);
    assert.equal(verifyBundle(without, trust, expected).verified, false, `without the byte at ${index}`);
    const doubled = text.slice(0, index) + text.charAt(index) + text.slice(index);
    assert.equal(verifyBundle(doubled, trust, expected).verified, false, `with the byte at ${index} doubled`);
  }
});

test('whatever the text is, there is an answer and no exception', async () => {
  const platform = createPlatform();
  const trust = parseTrust(platform.trust);
  const complete: unknown = JSON.parse(await platform.bundle());
  const paths = [
    'verificationMaterial.tlogEntries.0.inclusionProof',
    'verificationMaterial',
    'dsseEnvelope',
    'mediaType',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 4 }), (path, value) => {
      const bundle = new Editing(JSON.stringify(complete));
      bundle.set(path, () => value);
      assert.equal(verifyBundle(bundle.text, trust, expected).verified, false);
    }),
    { numRuns: 60 },
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !verifyBundle(text, trust, expected).verified));
  assert.match(verifyBundle(' '.repeat(MAX_BUNDLE_BYTES + 1), trust).errorMessage ?? '', /^bundle-malformed: .*larger/);
});

test('an Ed25519 key signs statements too', async () => {
  const platform = createPlatform({ signer: createKey('ed25519') });
  assert.equal(verifyBundle(await platform.bundle(), parseTrust(platform.trust), expected).errorMessage, undefined);
});
