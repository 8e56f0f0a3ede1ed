import type { KeyObject } from 'node:crypto';
import { MalformedJson, parseStrictJson } from '@landfall/attestation/signature/strict-json';
import { Fault } from '@landfall/kernel/core/fault';
import { isJsonObject } from '@landfall/kernel/core/json';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { type Envelope, envelopeJson, pae, parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { verifySignature } from '@landfall/kernel/crypto/signing/signature';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Public key by its id, the hex SHA-256 of its SPKI. */
export interface PublicKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

/** Document in canonical JSON, with the DSSE envelope that signs it. */
export interface SignedDocument<Value> {
  readonly value: Value;
  /** Digest of the payload, which names the document whoever signs it. */
  readonly digest: Digest;
  readonly envelope: Envelope;
}

const malformed = (noun: string, problem: string): Fault =>
  new Fault('VAL_SCHEMA_MISMATCH', `The ${noun} cannot be read: ${problem}.`);

const jsonOf = (text: string, noun: string, maxBytes: number): unknown => {
  try {
    return parseStrictJson(text, maxBytes);
  } catch (error) {
    throw error instanceof MalformedJson ? malformed(noun, error.message) : error;
  }
};

/** Kind of signed document: its media type, its schema and its bound. */
interface DocumentKind<S extends TSchema> {
  /** As messages name it. */
  readonly noun: string;
  readonly payloadType: string;
  readonly schema: S;
  /** Bytes of the payload. */
  readonly maxBytes: number;
}

/** Creates the reader and the writer of a kind of signed documents. */
export const documentsOf = <S extends TSchema>({ noun, payloadType, schema, maxBytes }: DocumentKind<S>) => {
  const validator = Compile(schema);
  const fits = (value: unknown): value is Static<S> => validator.Check(value);

  const open = (envelope: Envelope): SignedDocument<Static<S>> => {
    const text = envelope.payload.toString('utf8');
    const value = jsonOf(text, noun, maxBytes);
    if (!fits(value)) {
      const [first] = validator.Errors(value);
      throw malformed(noun, `${first?.instancePath ?? ''} ${first?.message ?? 'has another form'}`);
    }
    // A second spelling of the same content would have another digest.
    if (canonicalJson(value) !== text) throw malformed(noun, 'its payload is not canonical JSON (RFC 8785)');
    return { value, digest: sha256(envelope.payload), envelope };
  };

  const read = (text: string): SignedDocument<Static<S>> => {
    const envelope = parseEnvelope(jsonOf(text, noun, maxBytes * 2), { maxPayloadBytes: maxBytes });
    if (envelope.payloadType !== payloadType) throw malformed(noun, `its type is ${envelope.payloadType}`);
    return open(envelope);
  };

  /** Document of a payload without signatures, in whatever spelling. */
  const parseDraft = (text: string): SignedDocument<Static<S>> =>
    open({ payloadType, payload: Buffer.from(canonicalJson(jsonOf(text, noun, maxBytes))), signatures: [] });

  return {
    /** Reads a document without verifying it. @throws Fault VAL_* */
    read,
    parseDraft,

    /** Reads a document, or the payload of one that nobody signed yet. @throws Fault VAL_* */
    readOrDraft(text: string): SignedDocument<Static<S>> {
      const value = jsonOf(text, noun, maxBytes * 2);
      return isJsonObject(value) && 'payloadType' in value ? read(text) : parseDraft(text);
    },

    /** Writes a document without signatures, which nothing accepts. */
    draft: (value: Static<S>): SignedDocument<Static<S>> =>
      open({ payloadType, payload: Buffer.from(canonicalJson(value)), signatures: [] }),

    /** Adds the signature of a key, in place of an earlier one of the same key. */
    async sign(document: SignedDocument<Static<S>>, signer: Signer): Promise<SignedDocument<Static<S>>> {
      const { envelope } = document;
      const sig = await signer.sign(pae(payloadType, envelope.payload));
      const others = envelope.signatures.filter(({ keyid }) => keyid !== signer.keyId);
      return { ...document, envelope: { ...envelope, signatures: [...others, { keyid: signer.keyId, sig }] } };
    },
  };
};

/** Text of a signed document, as files hold it. */
export const documentText = ({ envelope }: Pick<SignedDocument<unknown>, 'envelope'>): string =>
  `${JSON.stringify(envelopeJson(envelope), undefined, 2)}\n`;

/** Number of different keys among some that signed a document. One key counts once, however often it signed. */
export const countSigners = ({ envelope }: SignedDocument<unknown>, keys: readonly PublicKey[]): number =>
  new Set(verifyEnvelope(envelope, keys).map(({ keyId }) => keyId)).size;

/** Whether one of some keys made a signature of these bytes. */
export const isSignedBy = (keys: readonly PublicKey[], bytes: Uint8Array, signature: Uint8Array): boolean =>
  keys.some(({ publicKey }) => verifySignature(publicKey, bytes, signature));
