import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, VerificationError, Verifier } from '@sigstore/verify';
import { type Finding, failed } from './finding.ts';
import type { BundleClaims } from './parse-bundle.ts';
import type { Trust } from './trust.ts';
import type { CheckName } from './verification.ts';

const checkOf: Readonly<Record<string, CheckName>> = {
  PUBLIC_KEY_ERROR: 'signature',
  SIGNATURE_ERROR: 'signature',
  TLOG_BODY_ERROR: 'body',
  TLOG_ERROR: 'inclusion',
  TLOG_INCLUSION_PROOF_ERROR: 'inclusion',
  TLOG_MISSING_INCLUSION_ERROR: 'inclusion',
  TLOG_INCLUSION_PROMISE_ERROR: 'inclusion',
  TIMESTAMP_ERROR: 'timestamp',
};

/** Removes timestamps when no authority is configured: the library would fail, whereas our check is skipped. */
const readable = ({ json }: BundleClaims, { authorities }: Trust): unknown => {
  if (authorities.length > 0) return json;
  const { timestampVerificationData: _tokens, ...verificationMaterial } = json.verificationMaterial;
  return { ...json, verificationMaterial };
};

/** Verifies a bundle with Sigstore's library. Returns the failed check, or undefined if the bundle is accepted. */
export const verifyWithSigstore = (
  claims: BundleClaims,
  trust: Trust,
): { readonly check: CheckName; readonly finding: Finding } | undefined => {
  const timestampThreshold = trust.authorities.length > 0 && claims.timestamps.length > 0 ? 1 : 0;
  try {
    const entity = toSignedEntity(bundleFromJSON(readable(claims, trust)));
    new Verifier(trust.material, { timestampThreshold }).verify(entity);
    return undefined;
  } catch (error) {
    // The library throws errors of several kinds at input that it cannot read; each of them is a refusal.
    const check = error instanceof VerificationError ? checkOf[error.code] : undefined;
    const message = error instanceof Error ? error.message : 'it could not read the bundle';
    return { check: check ?? 'signature', finding: failed('library-refuses', message) };
  }
};
