import { readSigned } from '@landfall/attestation/admission/read-signed';
import type { Signer } from '@landfall/attestation/admission/signer';
import { verifySigned } from '@landfall/attestation/admission/verify-signed';
import type { Trust } from '@landfall/attestation/bundle/trust';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { sha256 } from '@landfall/kernel/crypto/digest';

/** Trust by which evidence is judged. */
export interface EvidenceTrust {
  /** Keys and logs of the platform itself; undefined before it has any. */
  readonly platform: Trust | undefined;
  /** Signers that the tenant trusts. */
  readonly signers: readonly Signer[];
}

export interface Verdict {
  readonly verdict: 'verified' | 'unverified' | 'invalid';
  /** Fingerprint of the key, or identity of the certificate. */
  readonly signer: string | null;
  /** Limit of the verdict: no log was checked, or no signature at all. */
  readonly note?: string;
}

const UNVERIFIED: Verdict = { verdict: 'unverified', signer: null };
const INVALID: Verdict = { verdict: 'invalid', signer: null };

/** Reasons that say that nobody trusted signed, rather than that a signature is wrong. */
const UNTRUSTED = /^(?:signer|format):|under no trusted key|nobody/;

/** Checks of a bundle that say nothing of what it is about. */
const ABOUT_SIGNATURE = ['signature', 'body', 'inclusion', 'checkpoint'] as const;

/** Verdict on a statement of the platform itself; undefined where its keys did not sign it. */
const judgeOwn = (text: string, trust: Trust): Verdict | undefined => {
  const { checks, details, errorMessage } = verifyBundle(text, trust);
  if (/^(?:signer-unknown|bundle-malformed|signature-count)/.test(errorMessage ?? details.signature ?? ''))
    return undefined;
  return ABOUT_SIGNATURE.every((name) => checks[name] === 'pass') && checks.timestamp !== 'fail'
    ? { verdict: 'verified', signer: 'landfall' }
    : INVALID;
};

/** Verdict by the reason of a refusal: where no signature was checked, none is wrong. */
const refusalOf = (reason: string): Verdict => {
  if (reason.startsWith('malformed:')) return { ...UNVERIFIED, note: `No signature was checked: ${reason}.` };
  return UNTRUSTED.test(reason) ? UNVERIFIED : INVALID;
};

/** Judges the signature of an artifact's bytes. */
export const judge = (content: Buffer, form: 'bundle' | 'envelope', { platform, signers }: EvidenceTrust): Verdict => {
  const own = form === 'bundle' && platform ? judgeOwn(content.toString(), platform) : undefined;
  if (own) return own;
  const identity = sha256(content);
  const signed = readSigned({ id: identity, subject: identity, format: form, content, annotations: {} });
  if (typeof signed === 'string') return refusalOf(signed);
  const found = verifySigned(signed, signers);
  if (typeof found === 'string') return refusalOf(found);
  const [first] = found;
  if (!first) return UNVERIFIED;
  const verified: Verdict = { verdict: 'verified', signer: first.signer.name };
  return first.unlogged === null ? verified : { ...verified, note: `No log was checked: ${first.unlogged}.` };
};
