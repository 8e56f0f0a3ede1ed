import { X509Certificate } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { type Attachment, annotationKeys, bounds } from '@landfall/kernel/oci/attachment';
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { MalformedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { exactBase64 } from '../signature/signed-note.ts';
import { MalformedJson, parseStrictJson } from '../signature/strict-json.ts';

/** Parsed attachment: signed bytes, signature, and the proofs that came with it. Nothing is verified yet. */
export interface SignedAttachment {
  /** Bundle in the format of Sigstore's library, whatever format the attachment has. */
  readonly bundle: Bundle;
  /** Kind of payload: cosign's simple signing payload, or the in-toto statement of a DSSE envelope. */
  readonly kind: 'simple-signing' | 'statement';
  readonly payload: Buffer;
  /** Signed bytes: the payload itself, or its pre-authentication encoding (DSSE 1.0). */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
  /** Certificate of the signer; undefined if a bare key signed. */
  readonly certificate: X509Certificate | undefined;
}

const IN_TOTO = 'application/vnd.in-toto+json';
/** Media type of the v0.1 format, which holds a log's promise instead of a proof, as cosign's annotations do. */
const V01 = 'application/vnd.dev.sigstore.bundle+json;version=0.1';

/** Malformed attachment. The message says what is wrong. */
class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** Well-formed attachment of a kind that is not judged. The message names the kind. */
class NotJudged extends Error {
  override readonly name = 'Unjudged';
}

const logBundle = Compile(
  Type.Object({
    SignedEntryTimestamp: Type.String(),
    Payload: Type.Object({
      body: Type.String(),
      integratedTime: Type.Integer({ minimum: 0 }),
      logIndex: Type.Integer({ minimum: 0 }),
      logID: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  }),
);
const logBody = Compile(Type.Object({ kind: Type.String(), apiVersion: Type.String() }));
const timestamp = Compile(Type.Object({ SignedRFC3161Timestamp: Type.String() }));
const envelope = Compile(
  Type.Object({
    payload: Type.String(),
    payloadType: Type.String(),
    signatures: Type.Array(Type.Object({ sig: Type.String(), keyid: Type.Optional(Type.String()) })),
  }),
);

const jsonOf = (text: string, name: string): unknown => {
  try {
    return parseStrictJson(text, bounds.statementBytes);
  } catch (error) {
    throw error instanceof MalformedJson ? new Malformed(`${name}: ${error.message}`) : error;
  }
};

const base64Of = (text: string, name: string): Buffer => {
  const bytes = exactBase64(text);
  if (!bytes || bytes.length === 0) throw new Malformed(`${name} is not base64`);
  return bytes;
};

/** Reads the log entry of cosign's `bundle` annotation: Rekor's signed entry timestamp. */
const entriesOf = ({ annotations }: Attachment): readonly object[] => {
  const text = annotations[annotationKeys.bundle];
  if (!text) return [];
  const parsed = jsonOf(text, 'its log bundle');
  if (!logBundle.Check(parsed)) throw new Malformed('its log bundle has the wrong shape');
  const { body, integratedTime, logIndex, logID } = parsed.Payload;
  const entry = jsonOf(base64Of(body, 'the body of its log entry').toString('utf8'), 'the body of its log entry');
  if (!logBody.Check(entry)) throw new Malformed('the body of its log entry has the wrong shape');
  return [
    {
      logIndex: String(logIndex),
      logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
      kindVersion: { kind: entry.kind, version: entry.apiVersion },
      integratedTime: String(integratedTime),
      inclusionPromise: { signedEntryTimestamp: parsed.SignedEntryTimestamp },
      canonicalizedBody: body,
    },
  ];
};

const timestampsOf = ({ annotations }: Attachment): readonly object[] => {
  const text = annotations[annotationKeys.timestamp];
  if (!text) return [];
  const parsed = jsonOf(text, 'its timestamp');
  if (!timestamp.Check(parsed)) throw new Malformed('its timestamp has the wrong shape');
  return [{ signedTimestamp: parsed.SignedRFC3161Timestamp }];
};

const certificateOf = (pemOrDer: string | Buffer): X509Certificate => {
  try {
    return new X509Certificate(pemOrDer);
  } catch {
    throw new Malformed('its certificate cannot be read');
  }
};

/** Builds a bundle's verification material from cosign's annotations. */
const materialOf = (
  attachment: Attachment,
): { readonly json: object; readonly certificate: SignedAttachment['certificate'] } => {
  const pem = attachment.annotations[annotationKeys.certificate];
  const certificate = pem ? certificateOf(pem) : undefined;
  const key = certificate
    ? { x509CertificateChain: { certificates: [{ rawBytes: certificate.raw.toString('base64') }] } }
    : { publicKey: { hint: '' } };
  return {
    certificate,
    json: {
      ...key,
      tlogEntries: entriesOf(attachment),
      timestampVerificationData: { rfc3161Timestamps: timestampsOf(attachment) },
    },
  };
};

const bundleOf = (json: object): Bundle => {
  try {
    return bundleFromJSON(json);
  } catch (error) {
    throw new Malformed(error instanceof Error ? error.message : 'it is no bundle');
  }
};

/** Reads an attachment of cosign's `.sig` tag: the layer is the payload, an annotation the signature. */
const readSignature = (attachment: Attachment): SignedAttachment => {
  const { content: payload, annotations } = attachment;
  const signature = base64Of(annotations[annotationKeys.signature] ?? '', 'its signature');
  const { json, certificate } = materialOf(attachment);
  const messageSignature = {
    messageDigest: { algorithm: 'SHA2_256', digest: sha256Bytes(payload).toString('base64') },
    signature: signature.toString('base64'),
  };
  const bundle = bundleOf({ mediaType: V01, verificationMaterial: json, messageSignature });
  return { bundle, kind: 'simple-signing', payload, signedBytes: payload, signature, certificate };
};

const statementOf = (
  bundle: Bundle,
  payloadType: string,
  payload: Buffer,
  signatures: readonly Buffer[],
  certificate: SignedAttachment['certificate'],
): SignedAttachment => {
  const [signature, ...rest] = signatures;
  if (!signature || rest.length > 0) throw new Malformed(`it has ${signatures.length} signatures, one is read`);
  if (payloadType !== IN_TOTO) throw new Malformed(`its payload is of the type ${payloadType.slice(0, 100)}`);
  const signedBytes = dsse.preAuthEncoding(payloadType, payload);
  return { bundle, kind: 'statement', payload, signedBytes, signature, certificate };
};

/** Reads an attachment of cosign's `.att` tag: a DSSE envelope, with certificate and log entry in annotations. */
const readEnvelope = (attachment: Attachment): SignedAttachment => {
  const parsed = jsonOf(attachment.content.toString('utf8'), 'the envelope');
  if (!envelope.Check(parsed)) throw new Malformed('the envelope has the wrong shape');
  const { json, certificate } = materialOf(attachment);
  const payload = base64Of(parsed.payload, 'its payload');
  const signatures = parsed.signatures.map(({ sig }) => base64Of(sig, 'its signature'));
  const dsseEnvelope = { payload: parsed.payload, payloadType: parsed.payloadType, signatures: parsed.signatures };
  const bundle = bundleOf({ mediaType: V01, verificationMaterial: json, dsseEnvelope });
  return statementOf(bundle, parsed.payloadType, payload, signatures, certificate);
};

/** Media types of bundles before v0.3 and the earlier name of v0.3. The first certificate of their chain signs. */
const EARLIER = /^application\/vnd\.dev\.sigstore\.bundle(?:\+json;version=0\.[123]|\.v0\.[12]\+json)$/;

const mediaTyped = Compile(Type.Object({ mediaType: Type.String() }));
const messageSigned = Compile(
  Type.Object({ messageSignature: Type.Object({ messageDigest: Type.Object({ digest: Type.String() }) }) }),
);
const rawCertificate = Type.Object({ rawBytes: Type.String() });
const enveloped = Compile(
  Type.Object({
    verificationMaterial: Type.Object({
      certificate: Type.Optional(rawCertificate),
      x509CertificateChain: Type.Optional(Type.Object({ certificates: Type.Array(rawCertificate) })),
    }),
    dsseEnvelope: Type.Object({
      payload: Type.String(),
      payloadType: Type.String(),
      signatures: Type.Array(Type.Object({ sig: Type.String() })),
    }),
  }),
);

const readEarlierBundle = (json: object): SignedAttachment => {
  if (!enveloped.Check(json)) throw new Malformed('the bundle has the wrong shape');
  const { verificationMaterial: material, dsseEnvelope } = json;
  const raw = (material.certificate ?? material.x509CertificateChain?.certificates[0])?.rawBytes;
  const certificate = raw === undefined ? undefined : certificateOf(base64Of(raw, 'its certificate'));
  const signatures = dsseEnvelope.signatures.map(({ sig }) => base64Of(sig, 'its signature'));
  const payload = base64Of(dsseEnvelope.payload, 'its payload');
  return statementOf(bundleOf(json), dsseEnvelope.payloadType, payload, signatures, certificate);
};

const readBundle = ({ content }: Attachment): SignedAttachment => {
  const text = content.toString('utf8');
  const json = jsonOf(text, 'the bundle');
  if (messageSigned.Check(json)) {
    const digest = exactBase64(json.messageSignature.messageDigest.digest)?.toString('hex') ?? 'unknown';
    throw new NotJudged(
      `the bundle signs a message (${digest.slice(0, 128)}), which states nothing of the image; in-toto statements are judged`,
    );
  }
  if (mediaTyped.Check(json) && EARLIER.test(json.mediaType)) return readEarlierBundle(json);
  const claims = parseBundle(text);
  const raw = claims.json.verificationMaterial.certificate?.rawBytes;
  const certificate = raw === undefined ? undefined : certificateOf(base64Of(raw, 'its certificate'));
  const signatures = claims.signatures.map(({ bytes }) => bytes);
  return statementOf(bundleOf(claims.json), claims.payloadType, claims.payload, signatures, certificate);
};

const readers = { bundle: readBundle, signature: readSignature, envelope: readEnvelope } as const;

/** Reads an attachment of an image, or the reason why it is not judged: a slug, a colon and a message. */
export const readSigned = (attachment: Attachment): SignedAttachment | string => {
  try {
    return readers[attachment.format](attachment);
  } catch (error) {
    if (error instanceof NotJudged) return `format: ${error.message}`;
    if (error instanceof Malformed || error instanceof MalformedBundle) return `malformed: ${error.message}`;
    throw error;
  }
};
