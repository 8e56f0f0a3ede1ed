// Artifacts attached to an image: layers of cosign’s tags and of referrers.
import { createHash } from 'node:crypto';
import { type Digest, sha256Bytes, sha256Hex } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { type Attachment, annotationKeys, attachmentOf } from '@landfall/kernel/oci/attachment';
import { hashedRekordBody } from '../signature/hashed-rekord.ts';
import type { Leaf } from './fulcio.fixture.ts';
import { base64, type Keys, pemOf, signatureOf, spkiOf } from './signers.fixture.ts';
import type { Sigstore } from './sigstore.fixture.ts';

const IN_TOTO = 'application/vnd.in-toto+json';

export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

export const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';

export const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json';

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
