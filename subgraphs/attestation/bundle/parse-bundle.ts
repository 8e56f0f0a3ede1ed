import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { exactBase64, exactDecimal } from '../signature/signed-note.ts';
import { MalformedJson, parseStrictJson } from '../signature/strict-json.ts';
import { BUNDLE_MEDIA_TYPE } from './create-bundle.ts';

export const MAX_BUNDLE_BYTES = 4_194_304;

/** Text that is no Sigstore bundle v0.3 with a DSSE envelope. The message says what is wrong. */
export class MalformedBundle extends Error {
  override readonly name = 'MalformedBundle';
}

const closed = { additionalProperties: false } as const;
const base64 = Type.String({ maxLength: MAX_BUNDLE_BYTES });
const decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,15})$' });

const inclusionProof = Type.Object(
  {
    logIndex: decimal,
    treeSize: decimal,
    rootHash: base64,
    // A tree of 2^53 leaves has paths of at most 53 hashes.
    hashes: Type.Optional(Type.Array(base64, { maxItems: 64 })),
    checkpoint: Type.Object({ envelope: Type.String({ maxLength: 16_384 }) }, closed),
  },
  closed,
);

const logEntry = Type.Object(
  {
    logIndex: decimal,
    logId: Type.Object({ keyId: base64 }, closed),
    kindVersion: Type.Object({ kind: Type.String(), version: Type.String() }, closed),
    integratedTime: Type.Optional(decimal),
    inclusionPromise: Type.Optional(Type.Object({ signedEntryTimestamp: base64 }, closed)),
    inclusionProof: Type.Optional(inclusionProof),
    canonicalizedBody: base64,
  },
  closed,
);

const certificate = Type.Object({ rawBytes: base64 }, closed);

// Protobuf's JSON: empty repeated fields may be omitted, and integers of 64 bits are strings.
const shape = Type.Object(
  {
    mediaType: Type.Literal(BUNDLE_MEDIA_TYPE),
    verificationMaterial: Type.Object(
      {
        publicKey: Type.Optional(Type.Object({ hint: Type.String({ maxLength: 128 }) }, closed)),
        certificate: Type.Optional(certificate),
        tlogEntries: Type.Optional(Type.Array(logEntry, { maxItems: 8 })),
        timestampVerificationData: Type.Optional(
          Type.Object(
            {
              rfc3161Timestamps: Type.Optional(
                Type.Array(Type.Object({ signedTimestamp: base64 }, closed), { maxItems: 8 }),
              ),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    dsseEnvelope: Type.Object(
      {
        payload: base64,
        payloadType: Type.String({ maxLength: 256 }),
        signatures: Type.Array(
          Type.Object({ sig: base64, keyid: Type.Optional(Type.String({ maxLength: 128 })) }, closed),
          { maxItems: 8 },
        ),
      },
      closed,
    ),
  },
  closed,
);

type BundleJson = Static<typeof shape>;

const validator = Compile(shape);
const fits = (value: unknown): value is BundleJson => validator.Check(value);

interface InclusionClaim {
  readonly index: number;
  readonly treeSize: number;
  readonly rootHash: Buffer;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: string;
}

export interface EntryClaim {
  /** Log index stated outside the proof, which the proof does not cover. */
  readonly index: number;
  readonly logId: Buffer;
  readonly kind: string;
  readonly version: string;
  /** Unix time in seconds; 0 means none. */
  readonly integratedTime: number;
  readonly hasPromise: boolean;
  readonly proof: InclusionClaim | undefined;
  readonly body: Buffer;
}

/** Content of a bundle, decoded and not yet verified. */
export interface BundleClaims {
  /** SHA-256 of the signer's SPKI in hex; undefined if the bundle contains a certificate instead. */
  readonly hint: string | undefined;
  readonly payload: Buffer;
  readonly payloadType: string;
  readonly signatures: readonly { readonly bytes: Buffer; readonly keyId: string | undefined }[];
  readonly entries: readonly EntryClaim[];
  /** RFC 3161 responses, DER. */
  readonly timestamps: readonly Buffer[];
  /** Document in the format of Sigstore's library. */
  readonly json: BundleJson;
}

const malformed = (name: string): MalformedBundle => new MalformedBundle(name);

const decoded = (text: string, field: string): Buffer => {
  const bytes = exactBase64(text);
  if (bytes) return bytes;
  throw malformed(`${field} is not base64 in its one spelling`);
};

const integer = (text: string, field: string): number => {
  const value = exactDecimal(text);
  if (value !== undefined) return value;
  throw malformed(`${field} is not an integer below 2^53`);
};

const readProof = (proof: Static<typeof inclusionProof>): InclusionClaim => ({
  index: integer(proof.logIndex, 'inclusionProof.logIndex'),
  treeSize: integer(proof.treeSize, 'inclusionProof.treeSize'),
  rootHash: decoded(proof.rootHash, 'inclusionProof.rootHash'),
  hashes: (proof.hashes ?? []).map((hash) => decoded(hash, 'inclusionProof.hashes')),
  checkpoint: proof.checkpoint.envelope,
});

const readEntry = (entry: Static<typeof logEntry>): EntryClaim => ({
  index: integer(entry.logIndex, 'tlogEntries.logIndex'),
  logId: decoded(entry.logId.keyId, 'logId.keyId'),
  kind: entry.kindVersion.kind,
  version: entry.kindVersion.version,
  integratedTime: integer(entry.integratedTime ?? '0', 'integratedTime'),
  hasPromise: entry.inclusionPromise !== undefined,
  proof: entry.inclusionProof && readProof(entry.inclusionProof),
  body: decoded(entry.canonicalizedBody, 'canonicalizedBody'),
});

const readJson = (text: string): unknown => {
  try {
    return parseStrictJson(text, MAX_BUNDLE_BYTES);
  } catch (error) {
    throw error instanceof MalformedJson ? malformed(error.message) : error;
  }
};

/** Parses a Sigstore bundle v0.3 strictly: limited size, known members, canonical base64. Throws MalformedBundle. */
export const parseBundle = (text: string): BundleClaims => {
  const json = readJson(text);
  if (!fits(json)) {
    const [finding] = validator.Errors(json);
    throw malformed(`${finding?.instancePath || 'the bundle'} ${finding?.message ?? 'has the wrong shape'}`);
  }
  const { verificationMaterial: material, dsseEnvelope: envelope } = json;
  if ((material.publicKey === undefined) === (material.certificate === undefined))
    throw malformed('verificationMaterial has neither a public key nor a certificate, or both');
  return {
    hint: material.publicKey?.hint,
    payload: decoded(envelope.payload, 'payload'),
    payloadType: envelope.payloadType,
    signatures: envelope.signatures.map(({ sig, keyid }) => ({ bytes: decoded(sig, 'sig'), keyId: keyid })),
    entries: (material.tlogEntries ?? []).map(readEntry),
    timestamps: (material.timestampVerificationData?.rfc3161Timestamps ?? []).map(({ signedTimestamp }) =>
      decoded(signedTimestamp, 'signedTimestamp'),
    ),
    json,
  };
};
