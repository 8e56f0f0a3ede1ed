import { type KeyObject, verify } from 'node:crypto';
import { type SignedEntity, type TrustMaterial, toSignedEntity, VerificationError, Verifier } from '@sigstore/verify';
import { checkTimestamp } from '../timestamps/timestamp.ts';
import { logProblem } from './log-entry-check.ts';
import type { SignedAttachment } from './read-signed.ts';
import type { Signer } from './signer.ts';

/** A signature that holds under somebody trusted, and how far its log was checked. */
export interface VerifiedSignature {
  readonly signer: Signer;
  /** A key's fingerprint or a certificate's identity. */
  readonly signedBy: string;
  /** As a log or a timestamp authority has it; null where neither was checked. */
  readonly signedAt: Date | null;
  /** The index in its log, whose proof or promise was checked; null where none was. */
  readonly logIndex: string | null;
  /** Why no log was checked; null where one was. */
  readonly unlogged: string | null;
}

/** Extended key usage of certificates that sign artefacts (RFC 5280 4.2.1.12, id-kp-codeSigning). */
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

/** By the kind of key. P-384 comes with either digest: cosign's keys sign SHA-256, Sigstore's registry names SHA-384. */
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

/** Entity for Sigstore's library, with its signature check replaced: it tries every digest that the key may have. */
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

/** The part that failed, as the first word of a reason. */
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

/** Problem of the timestamps beyond the library's checks (proofs 6.5, item 8); undefined when there is none. */
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

/** Verifies everything that the material can speak of. @returns what the library says of the signer, or a reason */
const verifyWith = (signed: SignedAttachment, trust: TrustMaterial, isIdentity: boolean) => {
  try {
    const entity = entityOf(signed);
    const problem = logProblem(signed.bundle.verificationMaterial.tlogEntries, trust.tlogs);
    if (problem !== undefined) return `log: ${problem}`;
    const untimely = timestampProblem(signed, trust);
    if (untimely !== undefined) return `timestamp: ${untimely}`;
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
  const holding = { signer, signedBy, signedAt: null, logIndex: null };
  const [entry] = signed.bundle.verificationMaterial.tlogEntries;
  if (!entry) return { ...holding, unlogged: UNLOGGED };
  const isKnown = trust?.tlogs.some(({ logID }) => logID.equals(entry.logId.keyId)) ?? false;
  if (!trust || !isKnown) return { ...holding, unlogged: 'no trusted root of this signer names its log' };
  const found = verifyWith(signed, { ...trust, publicKey: () => ({ publicKey: key, validFor: () => true }) }, false);
  if (typeof found === 'string') return found;
  return { ...holding, signedAt: found.signedAt, logIndex: indexOf(signed), unlogged: null };
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

/**
 * The one name of a certificate, with its kind: what Fulcio certifies is one URI or one mail address. A certificate of
 * several names equals no trusted one.
 */
const names = (signed: SignedAttachment, identity: string): boolean => {
  const name = signed.certificate?.subjectAltName ?? '';
  return name === `URI:${identity}` || name === `email:${identity}`;
};

const nameOf = (signed: SignedAttachment): string => (signed.certificate?.subjectAltName ?? 'nobody').slice(0, 200);

/** Signers that may have made the signature, or the reason why none can. */
const candidates = (signed: SignedAttachment, signers: readonly Signer[]): readonly Signer[] | string => {
  if (signed.certificate) {
    const named = signers.filter((signer) => signer.kind === 'identity' && names(signed, signer.identity));
    return named.length > 0 ? named : `signer: its certificate is of ${nameOf(signed)}, which nobody trusts`;
  }
  const able = signers.filter((signer) => signer.kind === 'key' && signs(signer.key, signed));
  return able.length > 0 ? able : 'signature: it verifies under no trusted key';
};

/**
 * Holds a signature against everybody trusted: identities exactly, keys by the signature itself. A log entry or timestamp
 * that is there and does not hold refuses the whole, though the signature alone would pass.
 * @returns those under whom it holds, or why it holds under nobody: a slug, a colon, and words
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
  const holding = found.filter((each) => typeof each !== 'string');
  const [reason] = found.filter((each) => typeof each === 'string');
  return holding.length > 0 ? holding : (reason ?? 'signature: it verifies under nobody');
};
