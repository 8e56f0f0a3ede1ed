import { type KeyObject, verify } from 'node:crypto';
import { type SignedEntity, type TrustMaterial, toSignedEntity, VerificationError, Verifier } from '@sigstore/verify';
import { checkTimestamp } from '../timestamps/timestamp.ts';
import { logProblem } from './log-entry-check.ts';
import type { SignedAttachment } from './read-signed.ts';
import type { Signer } from './signer.ts';

/** Valid signature of a trusted signer, with the result of its log check. */
export interface VerifiedSignature {
  readonly signer: Signer;
  /** Fingerprint of the key, or identity of the certificate. */
  readonly signedBy: string;
  /** Time by a log or timestamp authority; null if neither was checked. */
  readonly signedAt: Date | null;
  /** Index in the log whose proof or promise was checked; null if none was. */
  readonly logIndex: string | null;
  /** Reason why no log was checked; null if one was. */
  readonly unlogged: string | null;
}

/** Extended key usage of code signing certificates (RFC 5280 4.2.1.12, id-kp-codeSigning). */
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

/** Digest algorithms of a key. P-384 has two: cosign signs SHA-256, and Sigstore's registry names SHA-384. */
const digestsOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly (string | null)[] => {
  if (asymmetricKeyType === 'ed25519') return [null];
  return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? ['sha384', 'sha256'] : ['sha256'];
};

const signs = (key: KeyObject, { signedBytes, signature }: SignedAttachment): boolean =>
  digestsOf(key).some((digest) => {
    try {
      return verify(digest, signedBytes, key, signature);
    } catch {
      return false;
    }
  });

/** Builds the entity for Sigstore's library, with a signature check that tries every digest algorithm of the key. */
const entityOf = (signed: SignedAttachment): SignedEntity => {
  const entity = toSignedEntity(signed.bundle, signed.payload);
  const { signature: content } = entity;
  return {
    ...entity,
    signature: {
      signature: content.signature,
      compareSignature: (other) => content.compareSignature(other),
      compareDigest: (digest) => content.compareDigest(digest),
      compareSignedDigest: (digest) => content.compareSignedDigest(digest),
      verifySignature: (key) => signs(key, signed),
    },
  };
};

/** Slug by the error code of Sigstore's library. */
const SLUGS: Readonly<Record<string, string>> = {
  SIGNATURE_ERROR: 'signature',
  PUBLIC_KEY_ERROR: 'signature',
  CERTIFICATE_ERROR: 'certificate',
  TIMESTAMP_ERROR: 'timestamp',
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof VerificationError)) return 'malformed: a part of it cannot be read';
  const slug = SLUGS[error.code] ?? 'log';
  return `${slug}: ${error.message}`;
};

const timeOf = (entity: SignedEntity): Date | null => {
  const [first] = entity.timestamps;
  if (!first) return null;
  if (first.$case === 'timestamp-authority') return first.timestamp.signingTime;
  return first.tlogEntry.inclusionPromise ? new Date(Number(first.tlogEntry.integratedTime) * 1000) : null;
};

/**
 * Returns a problem of the timestamps that the library does not check (proofs 6.5, item 8); undefined if there is none.
 */
const timestampProblem = ({ bundle, signature }: SignedAttachment, { timestampAuthorities }: TrustMaterial) => {
  const authorities = timestampAuthorities.map(({ certChain, validFor }) => ({
    certificates: certChain.map(({ root }) => root.toDER()),
    validFor,
  }));
  for (const { signedTimestamp } of bundle.verificationMaterial.timestampVerificationData?.rfc3161Timestamps ?? []) {
    const found = checkTimestamp(Buffer.from(signedTimestamp), signature, authorities);
    if ('reason' in found) return found.reason;
  }
  return undefined;
};

/** Verifies a signature with its log entries and timestamps. Returns identity and time, or the reason of a failure. */
const verifyWith = (signed: SignedAttachment, trust: TrustMaterial, isIdentity: boolean) => {
  try {
    const entity = entityOf(signed);
    const problem = logProblem(signed.bundle.verificationMaterial.tlogEntries, trust.tlogs);
    if (problem !== undefined) return `log: ${problem}`;
    const timestampFailure = timestampProblem(signed, trust);
    if (timestampFailure !== undefined) return `timestamp: ${timestampFailure}`;
    const verifier = new Verifier(trust, {
      tlogThreshold: 0,
      ctlogThreshold: trust.ctlogs.length > 0 ? 1 : 0,
      timestampThreshold: isIdentity ? 1 : 0,
    });
    return { identity: verifier.verify(entity).identity, signedAt: timeOf(entity) };
  } catch (error) {
    return reasonOf(error);
  }
};

const UNLOGGED = 'it is in no log';

const indexOf = ({ bundle }: SignedAttachment): string | null =>
  bundle.verificationMaterial.tlogEntries[0]?.logIndex ?? null;

const holdsKey = (signed: SignedAttachment, signer: Extract<Signer, { kind: 'key' }>): VerifiedSignature | string => {
  const { key, keyId: signedBy, trust } = signer;
  const verified = { signer, signedBy, signedAt: null, logIndex: null };
  const [entry] = signed.bundle.verificationMaterial.tlogEntries;
  if (!entry) return { ...verified, unlogged: UNLOGGED };
  const isKnown = trust?.tlogs.some(({ logID }) => logID.equals(entry.logId.keyId)) ?? false;
  if (!trust || !isKnown) return { ...verified, unlogged: 'no trusted root of this signer names its log' };
  const found = verifyWith(signed, { ...trust, publicKey: () => ({ publicKey: key, validFor: () => true }) }, false);
  if (typeof found === 'string') return found;
  return { ...verified, signedAt: found.signedAt, logIndex: indexOf(signed), unlogged: null };
};

const holdsIdentity = (
  signed: SignedAttachment,
  signer: Extract<Signer, { kind: 'identity' }>,
): VerifiedSignature | string => {
  const { issuer, identity, trust } = signer;
  if (!(signed.certificate?.keyUsage ?? []).includes(CODE_SIGNING)) return 'certificate: it is not for signing code';
  const found = verifyWith(signed, trust, true);
  if (typeof found === 'string') return found;
  const actual = found.identity?.extensions?.issuer ?? 'nobody';
  if (actual !== issuer) return `signer: the certificate's issuer is ${actual.slice(0, 200)}, which nobody trusts`;
  const logIndex = indexOf(signed);
  const unlogged = logIndex === null ? UNLOGGED : null;
  return { signer, signedBy: identity, signedAt: found.signedAt, logIndex, unlogged };
};

/** Checks that a certificate has exactly this URI or mail address. One with several names matches no signer. */
const names = (signed: SignedAttachment, identity: string): boolean => {
  const name = signed.certificate?.subjectAltName ?? '';
  return name === `URI:${identity}` || name === `email:${identity}`;
};

const nameOf = (signed: SignedAttachment): string => (signed.certificate?.subjectAltName ?? 'nobody').slice(0, 200);

/** Lists the signers that may have made the signature, or the reason why none can. */
const candidates = (signed: SignedAttachment, signers: readonly Signer[]): readonly Signer[] | string => {
  if (signed.certificate) {
    const named = signers.filter((signer) => signer.kind === 'identity' && names(signed, signer.identity));
    return named.length > 0 ? named : `signer: its certificate is of ${nameOf(signed)}, which nobody trusts`;
  }
  const able = signers.filter((signer) => signer.kind === 'key' && signs(signer.key, signed));
  return able.length > 0 ? able : 'signature: it verifies under no trusted key';
};

/**
 * Verifies a signature against all trusted signers: identities must match exactly, keys by the signature itself. An
 * invalid log entry or timestamp invalidates the whole, even if the signature alone is valid.
 * @returns the valid signatures, or the reason why there are none: a slug, a colon and a message
 */
export const verifySigned = (
  signed: SignedAttachment,
  signers: readonly Signer[],
): readonly VerifiedSignature[] | string => {
  const able = candidates(signed, signers);
  if (typeof able === 'string') return able;
  const found = able.map((signer) =>
    signer.kind === 'key' ? holdsKey(signed, signer) : holdsIdentity(signed, signer),
  );
  const valid = found.filter((each) => typeof each !== 'string');
  const [reason] = found.filter((each) => typeof each === 'string');
  return valid.length > 0 ? valid : (reason ?? 'signature: it verifies under nobody');
};
