import type { KeyObject } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { canonicalJson } from './jcs.ts';
import { verifySignature } from './signing/signature.ts';
import type { Signer } from './signing/signer.ts';

/** Signature of an envelope. `keyid` is an unauthenticated hint, empty when absent. */
interface EnvelopeSignature {
  readonly keyid: string;
  readonly sig: Buffer;
}

/** DSSE envelope (secure-systems-lab/dsse 1.0.2, envelope.md), its base64 decoded. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Buffer;
  readonly signatures: readonly EnvelopeSignature[];
}

/** JSON form of an envelope, with base64 fields. */
interface EnvelopeJson {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

interface EnvelopeLimits {
  /** Decoded, 1 MiB unless given. */
  readonly maxPayloadBytes?: number;
}

const maxSignatures = 16;
// Above an RSA signature of 8192 bits and the post-quantum ones of FIPS 204.
const maxSignatureBytes = 8_192;
const maxNameLength = 512;

/** Bytes that are signed: the payload with its type, each preceded by its length in bytes (DSSE, protocol.md: PAE). */
export const pae = (payloadType: string, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `), payload]);

const mismatch = (location: string, name: string): Fault =>
  new Fault('VAL_SCHEMA_MISMATCH', `${location} of the DSSE envelope is not ${name}.`);

const textOf = (value: unknown, location: string): string => {
  if (typeof value !== 'string') throw mismatch(location, 'text');
  if (value.length > maxNameLength)
    throw new Fault('VAL_TOO_LONG', `${location} of the DSSE envelope is longer than ${maxNameLength} characters.`);
  return value;
};

/** Decodes standard or URL-safe base64 in its canonical form only (envelope.md, RFC 4648 4 and 5). */
const bytesOf = (value: unknown, location: string, most: number): Buffer => {
  if (typeof value !== 'string') throw mismatch(location, 'text');
  if (value.length > Math.ceil(most / 3) * 4)
    throw new Fault('VAL_TOO_LONG', `${location} of the DSSE envelope is longer than ${most} bytes.`);
  const bytes = Buffer.from(value, 'base64');
  const padded = bytes.toString('base64');
  if (value !== padded && value !== padded.replaceAll('+', '-').replaceAll('/', '_'))
    throw new Fault('VAL_INVALID_FORMAT', `${location} of the DSSE envelope is not base64.`);
  if (bytes.length > most)
    throw new Fault('VAL_TOO_LONG', `${location} of the DSSE envelope is longer than ${most} bytes.`);
  return bytes;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const signatureOf = (value: unknown, index: number): EnvelopeSignature => {
  const location = `signatures[${index}]`;
  if (!isObject(value)) throw mismatch(location, 'an object');
  const sig = bytesOf(value.sig, `${location}.sig`, maxSignatureBytes);
  if (sig.length === 0) throw mismatch(`${location}.sig`, 'a signature');
  return { keyid: value.keyid === undefined ? '' : textOf(value.keyid, `${location}.keyid`), sig };
};

/** Validates an untrusted JSON envelope (envelope.md). Throws VAL_SCHEMA_MISMATCH, VAL_INVALID_FORMAT, VAL_TOO_LONG. */
export const parseEnvelope = (value: unknown, { maxPayloadBytes = 1_048_576 }: EnvelopeLimits = {}): Envelope => {
  if (!isObject(value)) throw new Fault('VAL_SCHEMA_MISMATCH', 'The DSSE envelope is not an object.');
  const { signatures } = value;
  if (!Array.isArray(signatures) || signatures.length === 0) throw mismatch('signatures', 'a list of signatures');
  if (signatures.length > maxSignatures)
    throw new Fault('VAL_TOO_LONG', `The DSSE envelope has more than ${maxSignatures} signatures.`);
  const payloadType = textOf(value.payloadType, 'payloadType');
  if (payloadType === '') throw mismatch('payloadType', 'the name of a type');
  return {
    payloadType,
    payload: bytesOf(value.payload, 'payload', maxPayloadBytes),
    signatures: signatures.map((signature: unknown, index) => signatureOf(signature, index)),
  };
};

/** Converts an envelope to its JSON form in standard base64. */
export const envelopeJson = ({ payloadType, payload, signatures }: Envelope): EnvelopeJson => ({
  payload: payload.toString('base64'),
  payloadType,
  signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: sig.toString('base64') })),
});

/** Bytes of an envelope as canonical JSON. The payload of megabytes is not written as a member, which takes copies of it. */
export const envelopeBytes = (envelope: Envelope): Buffer => {
  const json = canonicalJson(envelopeJson({ ...envelope, payload: Buffer.of() }));
  // The payload is the first member.
  const at = '{"payload":"'.length;
  const payload = envelope.payload.toString('base64');
  return Buffer.concat([Buffer.from(json.slice(0, at)), Buffer.from(payload, 'latin1'), Buffer.from(json.slice(at))]);
};

/** Signs a payload. Must not be called inside a transaction: a hardware key may be slow. */
export const signEnvelope = async (signer: Signer, payloadType: string, payload: Uint8Array): Promise<Envelope> => ({
  payloadType,
  payload: Buffer.from(payload.buffer, payload.byteOffset, payload.length),
  signatures: [{ keyid: signer.keyId, sig: await signer.sign(pae(payloadType, payload)) }],
});

/**
 * Returns the given keys that signed the envelope; without one it proves nothing. Every key is tried, since the
 * `keyid` hint is not authenticated.
 */
export const verifyEnvelope = <Key extends { readonly publicKey: KeyObject }>(
  { payloadType, payload, signatures }: Envelope,
  keys: readonly Key[],
): readonly Key[] => {
  const signed = pae(payloadType, payload);
  return keys.filter(({ publicKey }) => signatures.some(({ sig }) => verifySignature(publicKey, signed, sig)));
};
