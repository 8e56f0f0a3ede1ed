import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { type Attachment, annotationKeys } from '@landfall/kernel/oci/attachment';
import { needs } from '@landfall/kernel/testing/programs';
import { startTimestampAuthority } from '../testing/timestamp-authority.ts';
import { evaluateImage } from './evaluate-image.ts';
import { createFulcio } from './fulcio.fixture.ts';
import {
  attached,
  type BundleDocument,
  bundleLayer,
  cosignLayer,
  dsseBody,
  envelopeLayer,
  type Layer,
  SIMPLE_SIGNING,
} from './layers.fixture.ts';
import { BUILDER, COMMIT, provenance1, provenance02, simpleSigning, statementOf } from './payloads.fixture.ts';
import type { Signer } from './signer.ts';
import { createKeys, IDENTITY, ISSUER, type KeyKind, type Keys, SIGNED_AT, trusted } from './signers.fixture.ts';
import { createSigstore, type Sigstore } from './sigstore.fixture.ts';
import { judge } from './statement-judgement.ts';

const openssl = await needs('openssl');
const image = sha256('image');
const other = sha256('another image');
const now = new Date('2026-06-01T00:00:00Z');

const only = (layer: Layer, signers: readonly Signer[], subject: Digest = image) => {
  const [first, ...rest] = judge([attached(subject, layer)], signers);
  assert.ok(first);
  return { ...first, more: rest };
};

const admission = (attachments: readonly Attachment[], signers: readonly Signer[], platforms: readonly Digest[] = []) =>
  evaluateImage(
    {
      repository: 'registry.example/shop/web',
      digest: image,
      platforms,
      attachments: { found: attachments, unread: [] },
    },
    signers,
    now,
  );

/** Flips one bit near the end of a base64 text. */
const flip = (text: string): string => {
  const bytes = Buffer.from(text, 'base64');
  const at = Math.max(0, bytes.length - 3);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes.toString('base64');
};

let sigstore: Sigstore;
let keys: Keys;
before(async () => {
  sigstore = await createSigstore();
  keys = createKeys();
});

const byKey = (overrides: object = {}) => trusted({ keys, ...overrides });
const byIdentity = (overrides: object = {}) => trusted({ trustedRoot: sigstore.root(), ...overrides });

describe('a signature of cosign', () => {
  test('holds under each kind of key that is taken', () => {
    for (const kind of ['p256', 'p384', 'ed25519', 'rsa'] satisfies KeyKind[]) {
      const own = createKeys(kind);
      const found = only(cosignLayer(simpleSigning(image), own), [trusted({ keys: own })]);
      assert.deepEqual([found.status, found.state, found.purpose], ['pass', 'signed', 'image'], kind);
      assert.equal(found.reason, 'log: it is in no log');
    }
  });

  test('in a log that the signer’s trusted root names is proven; without one its log says nothing', () => {
    const layer = cosignLayer(simpleSigning(image), keys, sigstore);
    const proven = only(layer, [byKey({ trustedRoot: sigstore.root() })]);
    assert.deepEqual([proven.status, proven.state, proven.logIndex], ['pass', 'proven', '4711']);
    assert.deepEqual(proven.signedAt, new Date(SIGNED_AT * 1000));
    const signed = only(layer, [byKey()]);
    assert.deepEqual([signed.status, signed.state, signed.logIndex, signed.signedAt], ['pass', 'signed', null, null]);
    assert.match(signed.reason ?? '', /^log: no trusted root/);
  });

  test('by a certificate is its identity’s, exactly', async () => {
    const leaf = await sigstore.fulcio.issue();
    const layer = cosignLayer(simpleSigning(image), leaf, sigstore);
    const found = only(layer, [byIdentity()]);
    assert.deepEqual([found.status, found.state, found.signedBy], ['pass', 'proven', IDENTITY]);
    for (const identity of [IDENTITY.slice(0, -1), `${IDENTITY}x`, '.*', IDENTITY.toUpperCase()])
      assert.match(only(layer, [byIdentity({ identity })]).reason ?? '', /^signer: /, identity);
    for (const issuer of [`${ISSUER}/`, 'https://token', '.*'])
      assert.match(only(layer, [byIdentity({ issuer })]).reason ?? '', /^signer: the certificate's issuer/, issuer);
  });

  test('is refused for what is wrong with it', async () => {
    const leaf = await sigstore.fulcio.issue();
    const otherCertificate = await (await createFulcio()).issue();
    const several = await sigstore.fulcio.issue({ names: [IDENTITY, 'https://other.example'] });
    const server = await sigstore.fulcio.issue({ usages: ['1.3.6.1.5.5.7.3.1'] });
    const signers = [byKey(), byIdentity()];
    const good = cosignLayer(simpleSigning(image), leaf, sigstore);
    const without = (key: string): Layer => ({
      ...good,
      annotations: Object.fromEntries(Object.entries(good.annotations ?? {}).filter(([name]) => name !== key)),
    });
    const withBundle = (change: (bundle: { Payload: { integratedTime: number; body: string } }) => unknown): Layer => {
      const bundle = JSON.parse(good.annotations?.[annotationKeys.bundle] ?? '');
      change(bundle);
      return { ...good, annotations: { ...good.annotations, [annotationKeys.bundle]: JSON.stringify(bundle) } };
    };
    const cases: readonly (readonly [string, Layer, RegExp])[] = [
      ['another image', cosignLayer(simpleSigning(other), keys), /^subject: /],
      ['a key that nobody trusts', cosignLayer(simpleSigning(image), createKeys()), /^signature: /],
      [
        'a payload that was changed',
        { ...cosignLayer(simpleSigning(other), keys), content: simpleSigning(image) },
        /^signature: /,
      ],
      ['no signature', { mediaType: SIMPLE_SIGNING, content: simpleSigning(image) }, /^malformed: /],
      ['a payload of something else', { ...good, content: Buffer.from('{"critical":{}}') }, /^malformed: /],
      [
        'a certificate of a stranger’s authority',
        cosignLayer(simpleSigning(image), otherCertificate, sigstore),
        /^certificate: /,
      ],
      ['a certificate of several names', cosignLayer(simpleSigning(image), several, sigstore), /^signer: /],
      ['a certificate for servers', cosignLayer(simpleSigning(image), server, sigstore), /^certificate: /],
      ['a certificate without a time', without(annotationKeys.bundle), /^timestamp: /],
      [
        'a certificate that is none',
        { ...good, annotations: { ...good.annotations, [annotationKeys.certificate]: 'x' } },
        /^malformed: /,
      ],
      [
        'another time',
        withBundle(({ Payload }) => Object.assign(Payload, { integratedTime: SIGNED_AT + 1 })),
        /^log: /,
      ],
      [
        'a time after the certificate’s',
        withBundle(({ Payload }) => Object.assign(Payload, { integratedTime: SIGNED_AT + 9999 })),
        /^certificate: /,
      ],
      [
        'another body',
        withBundle(({ Payload }) =>
          Object.assign(Payload, {
            body: Buffer.from('{"kind":"hashedrekord","apiVersion":"0.0.1","spec":{}}').toString('base64'),
          }),
        ),
        /^(?:log|malformed): /,
      ],
    ];
    for (const [name, layer, reason] of cases) {
      const found = only(layer, signers);
      assert.deepEqual([found.status, found.state], ['fail', 'missing'], name);
      assert.match(found.reason ?? '', reason, name);
    }
  });

  test('by a certificate asks for the certificate’s own log where the trusted root names one', async () => {
    const leaf = await sigstore.fulcio.issue();
    const root = sigstore.root({ ctlogs: sigstore.logs('old') });
    const found = only(cosignLayer(simpleSigning(image), leaf, sigstore), [byIdentity({ trustedRoot: root })]);
    assert.match(found.reason ?? '', /^certificate: expected 1 SCTs/);
  });
});

describe('a bundle', () => {
  test('of SLSA provenance v1 says who built the image, and from which commit', async () => {
    const layer = await bundleLayer(provenance1(image), keys, sigstore);
    const signers = [byKey({ trustedRoot: sigstore.root(), builderId: BUILDER })];
    const [build, source] = judge([attached(image, layer)], signers);
    assert.deepEqual([build?.purpose, build?.status, build?.state, build?.logIndex], ['build', 'pass', 'proven', '5']);
    assert.equal(build?.summary, `built by ${BUILDER}`);
    assert.deepEqual([source?.purpose, source?.status, source?.state], ['source', 'pass', 'proven']);
    assert.equal(source?.summary, `commit ${COMMIT.slice(0, 12)} of git+https://git.example/shop/web`);
  });

  test('is refused for each change of what was signed, logged and proved', async () => {
    const entry = ({ verificationMaterial }: BundleDocument) => {
      const [first] = verificationMaterial.tlogEntries;
      assert.ok(first);
      return first;
    };
    const proof = (bundle: BundleDocument) => entry(bundle).inclusionProof;
    const changes: readonly (readonly [string, (bundle: BundleDocument) => unknown, RegExp])[] = [
      [
        'payload',
        (b) => Object.assign(b.dsseEnvelope, { payload: provenance1(image, 'x').toString('base64') }),
        /^signature: /,
      ],
      ['payload type', (b) => Object.assign(b.dsseEnvelope, { payloadType: 'application/json' }), /^malformed: /],
      ['two signatures', (b) => b.dsseEnvelope.signatures.push({ keyid: '', sig: 'AAAA' }), /^malformed: /],
      ['no signature', (b) => b.dsseEnvelope.signatures.splice(0), /^malformed: /],
      [
        'signature',
        (b) => b.dsseEnvelope.signatures.map((each) => Object.assign(each, { sig: flip(each.sig) })),
        /^signature: /,
      ],
      ['two entries', (b) => b.verificationMaterial.tlogEntries.push(entry(b)), /^log: /],
      [
        'body',
        (b) => Object.assign(entry(b), { canonicalizedBody: flip(entry(b).canonicalizedBody) }),
        /^(?:log|malformed): /,
      ],
      ['root', (b) => Object.assign(proof(b), { rootHash: flip(proof(b).rootHash) }), /^log: /],
      ['size', (b) => Object.assign(proof(b), { treeSize: '7' }), /^log: /],
      ['path', (b) => Object.assign(proof(b), { hashes: proof(b).hashes.map(flip) }), /^log: /],
      [
        'checkpoint’s root',
        (b) => Object.assign(proof(b).checkpoint, { envelope: proof(b).checkpoint.envelope.replace('\n6\n', '\n7\n') }),
        /^log: /,
      ],
      [
        'checkpoint’s name',
        (b) =>
          Object.assign(proof(b).checkpoint, {
            envelope: proof(b).checkpoint.envelope.replace('\u2014 log.sigstore.example', '\u2014 .'),
          }),
        /^log: /,
      ],
      ['a time that nobody signed', (b) => Object.assign(entry(b), { integratedTime: '1767225900' }), /^log: /],
    ];
    const signers = [byKey({ trustedRoot: sigstore.root() })];
    for (const [name, change, reason] of changes) {
      const found = only(await bundleLayer(provenance1(image), keys, sigstore, change), signers);
      assert.deepEqual([found.status, found.state], ['fail', 'missing'], name);
      assert.match(found.reason ?? '', reason, name);
    }
  });

  test('by a certificate with an entry of Rekor v1 holds, and is refused for each change of it', async () => {
    const leaf = await sigstore.fulcio.issue();
    const payload = provenance1(image);
    const found = async (change: (entry: Awaited<ReturnType<Sigstore['oldEntry']>>) => unknown = () => undefined) => {
      const layer = await bundleLayer(payload, leaf);
      const bundle = JSON.parse(layer.content.toString());
      const signature = Buffer.from(bundle.dsseEnvelope.signatures[0].sig, 'base64');
      const entry = await sigstore.oldEntry(dsseBody(payload, signature, Buffer.from(leaf.pem).toString('base64')));
      change(entry);
      bundle.verificationMaterial.tlogEntries = [entry];
      return only({ ...layer, content: Buffer.from(JSON.stringify(bundle)) }, [byIdentity()]);
    };
    const good = await found();
    assert.deepEqual([good.reason, good.state, good.logIndex, good.signedBy], [null, 'proven', '4711', IDENTITY]);
    const { checkpoint } = (await sigstore.oldEntry({ kind: 'dsse', apiVersion: '0.0.1' })).inclusionProof;
    const changes: readonly Parameters<typeof found>[0][] = [
      (entry) => Object.assign(entry.inclusionProof, { checkpoint }),
      (entry) => Object.assign(entry.inclusionProof, { rootHash: flip(entry.inclusionProof.rootHash) }),
      (entry) => Object.assign(entry, { logIndex: '4712' }),
      (entry) => Object.assign(entry, { integratedTime: String(SIGNED_AT + 1) }),
      (entry) =>
        Object.assign(entry.inclusionPromise, {
          signedEntryTimestamp: flip(entry.inclusionPromise.signedEntryTimestamp),
        }),
    ];
    for (const change of changes) assert.match((await found(change)).reason ?? '', /^log: /);
  });

  test('by a certificate is timed by an authority where its log tells no time', openssl, async () => {
    await using times = await startTimestampAuthority();
    const at = Math.floor(Date.now() / 1000);
    const leaf = await sigstore.fulcio.issue({ at });
    const certificates = times.certificates.map((each) => ({ rawBytes: Buffer.from(each).toString('base64') }));
    const authority = { certChain: { certificates }, validFor: { start: '2025-01-01T00:00:00Z' } };
    const withTimestamp = byIdentity({ trustedRoot: sigstore.root({ timestampAuthorities: [authority] }) });
    const layer = await bundleLayer(provenance1(image), leaf, sigstore);
    const stamped = async (signed: (signature: Buffer) => Buffer) => {
      const bundle = JSON.parse(layer.content.toString());
      const signature = Buffer.from(bundle.dsseEnvelope.signatures[0].sig, 'base64');
      const token = (await times.timestamp(signed(signature))).toString('base64');
      bundle.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp: token }] };
      return { ...layer, content: Buffer.from(JSON.stringify(bundle)) };
    };
    const good = only(await stamped((signature) => signature), [withTimestamp]);
    assert.deepEqual([good.reason, good.state, good.logIndex], [null, 'proven', '5']);
    assert.ok(good.signedAt);
    assert.match(only(layer, [withTimestamp]).reason ?? '', /^timestamp: expected 1/);
    assert.match(only(await stamped(() => Buffer.from('other')), [withTimestamp]).reason ?? '', /^timestamp: /);
    assert.match(only(await stamped((signature) => signature), [byIdentity()]).reason ?? '', /^timestamp: /);
  });

  test('of cosign’s own signature is a signature', async () => {
    const payload = statementOf(image, 'https://sigstore.dev/cosign/sign/v1', {});
    const found = only(await bundleLayer(payload, keys), [byKey()]);
    assert.deepEqual([found.purpose, found.status], ['image', 'pass']);
  });

  test('of a source’s verification summary counts for the commit that trusted provenance names', async () => {
    const summary = (commit: string) =>
      Buffer.from(
        JSON.stringify({
          _type: 'https://in-toto.io/Statement/v1',
          subject: [{ digest: { gitCommit: commit } }],
          predicateType: 'https://slsa.dev/verification_summary/v1',
          predicate: { verificationResult: 'PASSED', verifiedLevels: ['SLSA_SOURCE_LEVEL_3'] },
        }),
      );
    const built = attached(image, await bundleLayer(provenance1(image), keys));
    const judged = async (commit: string, ...neighbour: Attachment[]) => {
      const all = judge([attached(image, await bundleLayer(summary(commit), keys)), ...neighbour], [byKey()]);
      return all[0];
    };
    assert.equal((await judged(COMMIT, built))?.status, 'pass');
    assert.match((await judged(COMMIT))?.reason ?? '', /^subject: /);
    assert.match((await judged('d'.repeat(40), built))?.reason ?? '', /^subject: /);
  });
});

describe('an envelope of cosign’s', () => {
  test('with SLSA provenance v0.2 by a certificate is proven by the log’s promise', async () => {
    const leaf = await sigstore.fulcio.issue();
    const found = judge([attached(image, envelopeLayer(provenance02(image), leaf, sigstore))], [byIdentity()]);
    assert.deepEqual(
      found.map(({ purpose, status, state }) => [purpose, status, state]),
      [
        ['build', 'pass', 'proven'],
        ['source', 'pass', 'proven'],
      ],
    );
  });

  test('of another image, of another builder, and of a purpose that its signer has not, is refused', () => {
    const refused = (payload: Buffer, overrides: object, reason: RegExp) => {
      const found = only(envelopeLayer(payload, keys), [byKey(overrides)]);
      assert.deepEqual([found.status, found.state], ['fail', 'missing']);
      assert.match(found.reason ?? '', reason);
    };
    refused(provenance1(other), {}, /^subject: /);
    refused(provenance1(image, 'https://evil.example'), { builderId: BUILDER }, /^builder: /);
    refused(provenance1(image, `${BUILDER}/`), { builderId: BUILDER }, /^builder: /);
    refused(provenance1(image), { purposes: ['image'] }, /^signer: builder is not trusted for build/);
    refused(statementOf(image, 'https://slsa.dev/provenance/v1', {}), {}, /^malformed: /);
  });

  test('of an unknown predicate is unknown, and of no purpose', () => {
    const found = only(envelopeLayer(statementOf(image, 'https://spdx.dev/Document', {}), keys), [byKey()]);
    assert.deepEqual([found.purpose, found.status, found.state], [null, 'unknown', 'missing']);
  });
});

describe('admission', () => {
  const good = () => attached(image, cosignLayer(simpleSigning(image), keys));

  test('passes when somebody trusted made each statement that somebody is trusted for', async () => {
    const built = attached(image, await bundleLayer(provenance1(image), keys));
    assert.equal(admission([good(), built], [byKey()]).status, 'pass');
    assert.equal(admission([good()], [byKey()]).status, 'fail', 'nobody said how it was built');
    assert.equal(admission([good()], [byKey({ purposes: ['image'] })]).status, 'pass');
  });

  test('is not stopped by what a stranger attached', () => {
    const unknown = attached(image, cosignLayer(simpleSigning(image), createKeys()));
    const found = admission([unknown, good()], [byKey({ purposes: ['image'] })]);
    assert.deepEqual(
      found.findings.map(({ status }) => status),
      ['fail', 'pass', 'pass'],
    );
    assert.equal(found.status, 'pass');
  });

  test('never passes on what is unknown', () => {
    assert.equal(admission([good()], []).status, 'unknown');
    assert.equal(admission([], [byKey()]).status, 'fail');
    const fault = new Fault('INT_TIMEOUT', 'It did not answer in time.');
    const unread = { repository: 'r', digest: image, platforms: [], attachments: fault };
    assert.equal(evaluateImage(unread, [byKey()], now).status, 'unknown');
    const partly = { ...unread, attachments: { found: [], unread: ['one is too large'] } };
    assert.equal(evaluateImage(partly, [byKey()], now).status, 'unknown');
  });

  test('of an index asks for a statement of the index, or one of each platform', () => {
    const [amd64, arm64] = [sha256('amd64'), sha256('arm64')];
    const of = (subject: Digest) => attached(subject, cosignLayer(simpleSigning(subject), keys));
    const signers = [byKey({ purposes: ['image'] })];
    assert.equal(admission([of(image)], signers, [amd64, arm64]).status, 'pass');
    assert.equal(admission([of(amd64), of(arm64)], signers, [amd64, arm64]).status, 'pass');
    assert.equal(admission([of(amd64)], signers, [amd64, arm64]).status, 'fail');
  });
});
