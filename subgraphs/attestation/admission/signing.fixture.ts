import 'reflect-metadata';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type Digest, digestHex, sha256Bytes, sha256Hex } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { inclusionPath, leafHash, rootOf } from '@landfall/kernel/crypto/merkle';
import { type Attachment, annotationKeys, attachmentOf } from '@landfall/kernel/oci/attachment';
import * as x509 from '@peculiar/x509';
import { createKey } from '../bundle/bundle.fixture.ts';
import { signCheckpoint } from '../signature/checkpoint.ts';
import { hashedRekordBody } from '../signature/hashed-rekord.ts';
import { ed25519KeyId } from '../signature/signed-note.ts';
import { type Signer, signerOf } from './signer.ts';
import type { SignerRow } from './trusted-signers.store.ts';

/**
 * Signing infrastructure for tests: keys, a certificate authority like Fulcio, and logs of both generations of Rekor.
 */

export const ISSUER = 'https://token.actions.example';
export const IDENTITY = 'https://git.example/shop/web/.github/workflows/build.yml@refs/heads/main';
export const BUILDER = 'https://builders.example/trusted/v1';
export const COMMIT = 'c0ffee'.padEnd(40, '0');
const IN_TOTO = 'application/vnd.in-toto+json';
export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
export const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
export const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json';
const ORIGIN = 'log.sigstore.example';
const OLD_ORIGIN = 'rekor.sigstore.example';
/** Time of every signature in the tests, in seconds. */
export const SIGNED_AT = Date.parse('2026-01-01T00:05:00Z') / 1000;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type KeyKind = 'p256' | 'p384' | 'ed25519' | 'rsa';

const curves = { p256: 'P-256', p384: 'P-384' } as const;

export const createKeys = (kind: KeyKind = 'p256', modulusLength = 2048): Keys => {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  if (kind === 'rsa') return generateKeyPairSync('rsa', { modulusLength });
  return generateKeyPairSync('ec', { namedCurve: curves[kind] });
};

export const pemOf = ({ publicKey }: Keys): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

const signatureOf = ({ privateKey }: Keys, bytes: Uint8Array): Buffer =>
  sign(privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, privateKey);

/** Row of a trusted signer, as the store returns it. */
const rowOf = (overrides: Partial<SignerRow> & { readonly keys?: Keys }): SignerRow => {
  const { keys, ...own } = overrides;
  return JSON.parse(
    JSON.stringify({
      id: '01900000-0000-7000-8000-000000000001',
      name: 'builder',
      kind: keys ? 'key' : 'identity',
      purposes: ['image', 'source', 'build'],
      publicKey: keys ? pemOf(keys) : null,
      keyId: keys ? sha256Hex(spkiOf(keys.publicKey)) : null,
      issuer: keys ? null : ISSUER,
      identity: keys ? null : IDENTITY,
      trustedRoot: null,
      builderId: null,
      version: 1,
      ...own,
    }),
  );
};

export const trusted = (parameters: Parameters<typeof rowOf>[0]): Signer => signerOf(rowOf(parameters));

// Payloads that are signed.

export const simpleSigning = (digest: Digest): Buffer =>
  Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': 'registry.example/shop/web' },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );

export const statementOf = (digest: Digest, predicateType: string, predicate: unknown): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'registry.example/shop/web', digest: { sha256: digestHex(digest) } }],
      predicateType,
      predicate,
    }),
  );

export const provenance1 = (digest: Digest, builderId = BUILDER): Buffer =>
  statementOf(digest, 'https://slsa.dev/provenance/v1', {
    buildDefinition: {
      buildType: 'https://builders.example/image/v1',
      externalParameters: {},
      resolvedDependencies: [{ uri: 'git+https://git.example/shop/web', digest: { gitCommit: COMMIT } }],
    },
    runDetails: { builder: { id: builderId } },
  });

export const provenance02 = (digest: Digest, builderId = BUILDER): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v0.1',
      subject: [{ name: 'web', digest: { sha256: digestHex(digest) } }],
      predicateType: 'https://slsa.dev/provenance/v0.2',
      predicate: {
        builder: { id: builderId },
        buildType: 'https://builders.example/image/v0',
        invocation: { configSource: { uri: 'git+https://git.example/shop/web@main', digest: { sha1: COMMIT } } },
      },
    }),
  );

// A certificate authority as Fulcio is one.

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { ...ecdsa, hash: 'SHA-256' };

const cryptoKeys = ({ publicKey, privateKey }: Keys) => ({
  publicKey: publicKey.toCryptoKey(ecdsa, true, ['verify']),
  privateKey: privateKey.toCryptoKey(ecdsa, true, ['sign']),
});

/** Builds the certificate extension 1.3.6.1.4.1.57264.1.8: the issuer as a UTF8String in DER. */
const issuerExtension = (issuer: string): x509.Extension =>
  new x509.Extension(
    '1.3.6.1.4.1.57264.1.8',
    false,
    Buffer.concat([Buffer.of(12, issuer.length), Buffer.from(issuer)]),
  );

interface Leaf {
  readonly keys: Keys;
  readonly certificate: Buffer;
  readonly pem: string;
}

interface LeafOptions {
  readonly issuer?: string;
  readonly names?: readonly string[];
  readonly usages?: readonly string[];
  /** Time of the signature, in seconds. */
  readonly at?: number;
}

const nameKind = (name: string): 'url' | 'email' => (name.includes('://') ? 'url' : 'email');

const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

export const createFulcio = async () => {
  const keys = createKeys();
  const { publicKey, privateKey } = cryptoKeys(keys);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(8).toString('hex')}`,
    name: 'CN=Test certificate authority',
    notBefore: new Date('2025-01-01T00:00:00Z'),
    notAfter: new Date('2035-01-01T00:00:00Z'),
    signingAlgorithm,
    keys: { publicKey, privateKey },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return {
    certificate: Buffer.from(authority.rawData),
    /** Issues a certificate for ten minutes, as Fulcio does. */
    async issue({
      issuer = ISSUER,
      names = [IDENTITY],
      usages = [CODE_SIGNING],
      at = SIGNED_AT,
    }: LeafOptions = {}): Promise<Leaf> {
      const own = createKeys();
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: `01${randomBytes(8).toString('hex')}`,
        issuer: authority.subject,
        notBefore: new Date((at - 60) * 1000),
        notAfter: new Date((at + 540) * 1000),
        signingAlgorithm,
        publicKey: cryptoKeys(own).publicKey,
        signingKey: privateKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: nameKind(value), value })),
            true,
          ),
          new x509.ExtendedKeyUsageExtension([...usages]),
          await x509.AuthorityKeyIdentifierExtension.create(publicKey),
          issuerExtension(issuer),
        ],
      });
      return { keys: own, certificate: Buffer.from(leaf.rawData), pem: leaf.toString('pem') };
    },
  };
};

// Logs of both generations, and the root that names them.

export const createSigstore = async () => {
  const fulcio = await createFulcio();
  const oldLog = createKeys();
  const oldId = sha256Bytes(spkiOf(oldLog.publicKey));
  const logKey = createKey('ed25519');
  const logId = ed25519KeyId(ORIGIN, logKey.spki);
  const earlier = Array.from({ length: 5 }, (_, index) => leafHash(Buffer.from(`earlier ${index}`)));

  const logs = (...ids: readonly ('old' | 'new')[]) =>
    ids.map((id) => ({
      baseUrl: `https://${id === 'old' ? OLD_ORIGIN : ORIGIN}`,
      hashAlgorithm: 'SHA2_256',
      publicKey: {
        rawBytes: base64(id === 'old' ? spkiOf(oldLog.publicKey) : logKey.spki),
        keyDetails: id === 'old' ? 'PKIX_ECDSA_P256_SHA_256' : 'PKIX_ED25519',
        validFor: { start: '2025-01-01T00:00:00Z' },
      },
      logId: { keyId: base64(id === 'old' ? oldId : logId) },
    }));

  return {
    fulcio,
    /** Builds a Sigstore trusted root as JSON text. */
    root: (change: object = {}): string =>
      JSON.stringify({
        mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
        tlogs: logs('old', 'new'),
        certificateAuthorities: [
          {
            subject: { organization: 'Test', commonName: 'Test certificate authority' },
            uri: 'https://fulcio.example',
            certChain: { certificates: [{ rawBytes: base64(fulcio.certificate) }] },
            validFor: { start: '2025-01-01T00:00:00Z' },
          },
        ],
        ctlogs: [],
        timestampAuthorities: [],
        ...change,
      }),
    logs,

    /** Builds Rekor v1's signed entry timestamp, over what cosign stores beside a signature. */
    promise(body: object) {
      const payload = {
        body: base64(Buffer.from(canonicalJson(body))),
        integratedTime: SIGNED_AT,
        logIndex: 4711,
        logID: oldId.toString('hex'),
      };
      const signature = sign('sha256', Buffer.from(canonicalJson(payload)), oldLog.privateKey);
      return JSON.stringify({ SignedEntryTimestamp: base64(signature), Payload: payload });
    },

    /** Builds a Rekor v1 entry as in bundles: with timestamp and proof, its index counted over all trees. */
    async oldEntry(body: object) {
      const { SignedEntryTimestamp, Payload } = JSON.parse(this.promise(body));
      const canonical = Buffer.from(Payload.body, 'base64');
      const leaves = [...earlier, leafHash(canonical)];
      const rootHash = rootOf(leaves);
      const note = `${OLD_ORIGIN} - 2605736670972794746\n${leaves.length}\n${base64(rootHash)}\n`;
      const signature = sign('sha256', Buffer.from(note), oldLog.privateKey);
      const envelope = `${note}\n\u2014 ${OLD_ORIGIN} ${base64(Buffer.concat([oldId.subarray(0, 4), signature]))}\n`;
      const { kind, apiVersion } = JSON.parse(canonical.toString());
      return {
        logIndex: String(Payload.logIndex),
        logId: { keyId: base64(oldId) },
        kindVersion: { kind, version: apiVersion },
        integratedTime: String(Payload.integratedTime),
        inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
        inclusionProof: {
          logIndex: String(earlier.length),
          rootHash: base64(rootHash),
          treeSize: String(leaves.length),
          hashes: inclusionPath(earlier.length, leaves).map(base64),
          checkpoint: { envelope },
        },
        canonicalizedBody: Payload.body,
      };
    },

    /** Builds Rekor v2's answer: the entry with its proof under a checkpoint. */
    async entry(body: Buffer) {
      const leaves = [...earlier, leafHash(body)];
      const rootHash = rootOf(leaves);
      const tree = { size: leaves.length, rootHash };
      return {
        logIndex: String(earlier.length),
        logId: { keyId: base64(logId) },
        kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
        inclusionProof: {
          logIndex: String(earlier.length),
          rootHash: base64(rootHash),
          treeSize: String(leaves.length),
          hashes: inclusionPath(earlier.length, leaves).map(base64),
          checkpoint: { envelope: await signCheckpoint(ORIGIN, tree, logKey) },
        },
        canonicalizedBody: base64(body),
      };
    },
  };
};

export type Sigstore = Awaited<ReturnType<typeof createSigstore>>;

// Artifacts attached to an image.

export interface Layer {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Builds an attachment as the registry reader returns it. */
export const attached = (subject: Digest, { mediaType, content, annotations = {} }: Layer): Attachment => {
  const format = mediaType === SIMPLE_SIGNING ? 'signature' : mediaType === ENVELOPE_TYPE ? 'envelope' : 'bundle';
  const digest = sha256Hex(content);
  return attachmentOf(
    subject,
    format,
    { mediaType, digest: `sha256:${digest}`, size: content.length, annotations },
    content,
  );
};

const rekord = (payload: Buffer, signature: Buffer, publicKey: string) => ({
  apiVersion: '0.0.1',
  kind: 'hashedrekord',
  spec: {
    data: { hash: { algorithm: 'sha256', value: sha256Hex(payload) } },
    signature: { content: base64(signature), publicKey: { content: base64(Buffer.from(publicKey)) } },
  },
});

/** Builds a layer of cosign's `.sig` tag. */
export const cosignLayer = (payload: Buffer, by: Keys | Leaf, log?: Sigstore): Layer => {
  const isLeaf = 'pem' in by;
  const keys = isLeaf ? by.keys : by;
  const signature = signatureOf(keys, payload);
  return {
    mediaType: SIMPLE_SIGNING,
    content: payload,
    annotations: {
      [annotationKeys.signature]: base64(signature),
      ...(isLeaf && { [annotationKeys.certificate]: by.pem }),
      ...(log && { [annotationKeys.bundle]: log.promise(rekord(payload, signature, isLeaf ? by.pem : pemOf(keys))) }),
    },
  };
};

const envelopeOf = (payload: Buffer, signature: Buffer) => ({
  payloadType: IN_TOTO,
  payload: base64(payload),
  signatures: [{ keyid: '', sig: base64(signature) }],
});

/** Builds the body of Rekor v1's entry of an envelope. */
export const dsseBody = (payload: Buffer, signature: Buffer, verifier: string) => ({
  apiVersion: '0.0.1',
  kind: 'dsse',
  spec: {
    payloadHash: { algorithm: 'sha256', value: sha256Hex(payload) },
    signatures: [{ signature: base64(signature), verifier }],
  },
});

/** Builds a layer of cosign's `.att` tag. */
export const envelopeLayer = (payload: Buffer, by: Keys | Leaf, log?: Sigstore): Layer => {
  const isLeaf = 'pem' in by;
  const keys = isLeaf ? by.keys : by;
  const signature = signatureOf(keys, pae(IN_TOTO, payload));
  const verifier = base64(Buffer.from(isLeaf ? by.pem : pemOf(keys)));
  const body = dsseBody(payload, signature, verifier);
  return {
    mediaType: ENVELOPE_TYPE,
    content: Buffer.from(JSON.stringify(envelopeOf(payload, signature))),
    annotations: {
      [annotationKeys.signature]: '',
      ...(isLeaf && { [annotationKeys.certificate]: by.pem }),
      ...(log && { [annotationKeys.bundle]: log.promise(body) }),
    },
  };
};

/** Builds a Sigstore bundle v0.3 as a layer of a referrer. `change` may edit the document before it is encoded. */
export const bundleLayer = async (
  payload: Buffer,
  by: Keys | Leaf,
  log?: Sigstore,
  change: (bundle: BundleDocument) => unknown = () => undefined,
): Promise<Layer> => {
  const isLeaf = 'pem' in by;
  const keys = isLeaf ? by.keys : by;
  const signed = pae(IN_TOTO, payload);
  const signature = signatureOf(keys, signed);
  const paeDigest = createHash('sha256').update(signed).digest();
  const spki = spkiOf(keys.publicKey);
  const body = hashedRekordBody({ paeDigest, signature, spki, keyDetails: 'PKIX_ECDSA_P256_SHA_256' });
  const key = isLeaf
    ? { certificate: { rawBytes: base64(by.certificate) } }
    : { publicKey: { hint: base64(sha256Bytes(spki)) } };
  const bundle = {
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { ...key, tlogEntries: log ? [await log.entry(body)] : [] },
    dsseEnvelope: envelopeOf(payload, signature),
  };
  change(bundle);
  return { mediaType: BUNDLE_TYPE, content: Buffer.from(JSON.stringify(bundle)) };
};

export interface BundleDocument {
  readonly verificationMaterial: {
    readonly tlogEntries: Awaited<ReturnType<Sigstore['entry']>>[];
  };
  readonly dsseEnvelope: ReturnType<typeof envelopeOf>;
}
