import { MalformedTrust, parseTrust, type Trust } from '@landfall/attestation/bundle/trust';
import { MalformedJson, parseStrictJson } from '@landfall/attestation/signature/strict-json';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Media type of `trust-root.json`: the published trust document, and the history of every key of the platform. */
export const TRUST_ROOT_MEDIA_TYPE = 'application/vnd.landfall.export-trust-root+json;version=1';

const MAX_TRUST_ROOT_BYTES = 8_388_608;

const shape = Type.Object({ mediaType: Type.Literal(TRUST_ROOT_MEDIA_TYPE), trust: Type.Unknown() });
const validator = Compile(shape);

const keyOf = ({ keyId, purpose, algorithm, spki, validFrom, validUntil }: VerificationKey) => ({
  keyId,
  purpose,
  algorithm,
  spki: spki.toString('base64'),
  validFrom: validFrom.toISOString(),
  validUntil: validUntil?.toISOString() ?? null,
});

/**
 * Creates the snapshot of the platform's trust for an export, as canonical JSON.
 * @param trust published trust document: keys of statements, keys of the log, chains of timestamp authorities
 * @param keys every key of every purpose that ever signed
 */
export const createTrustRoot = (trust: string, keys: readonly VerificationKey[]): string =>
  canonicalJson({ mediaType: TRUST_ROOT_MEDIA_TYPE, keyHistory: keys.map(keyOf), trust: JSON.parse(trust) });

const readJson = (text: string): unknown => {
  try {
    return parseStrictJson(text, MAX_TRUST_ROOT_BYTES);
  } catch (error) {
    throw error instanceof MalformedJson ? new MalformedTrust(error.message) : error;
  }
};

/** Parses a published trust document, or the one in a `trust-root.json`. Throws MalformedTrust. */
export const parseTrustRoot = (text: string): Trust => {
  const json = readJson(text);
  return parseTrust(validator.Check(json) ? canonicalJson(json.trust) : text);
};
