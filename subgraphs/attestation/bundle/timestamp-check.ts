import { checkTimestamp } from '../timestamps/timestamp.ts';
import { type Finding, failed, passed, skipped } from './finding.ts';
import type { TrustedAuthority } from './trust.ts';

/** Times of a signature according to timestamp authorities. */
export interface TimestampResult {
  readonly finding: Finding;
  /** Earliest attested time, by external authorities if there are any; undefined unless the check passed. */
  readonly signedAt: Date | undefined;
  /** Whether an authority other than the platform attests the time. */
  readonly isIndependent: boolean;
}

/** Checks every timestamp over a signature's bytes (proofs 6.5, item 8); one invalid timestamp fails the check. */
export const checkTimestamps = (
  tokens: readonly Buffer[],
  signature: Buffer | undefined,
  authorities: readonly TrustedAuthority[],
): TimestampResult => {
  if (tokens.length === 0 || !signature)
    return {
      finding: skipped('no-timestamp', 'the bundle has no timestamp'),
      signedAt: undefined,
      isIndependent: false,
    };
  if (authorities.length === 0)
    return {
      finding: skipped('authority-unknown', 'no timestamp authority is trusted'),
      signedAt: undefined,
      isIndependent: false,
    };
  const times: { readonly at: Date; readonly isIndependent: boolean }[] = [];
  for (const token of tokens) {
    const found = checkTimestamp(token, signature, authorities);
    if ('reason' in found)
      return { finding: failed('timestamp-refused', found.reason), signedAt: undefined, isIndependent: false };
    times.push({ at: found.at, isIndependent: !found.authority.isOwn });
  }
  const independent = times.filter((time) => time.isIndependent);
  const [earliest] = (independent.length > 0 ? independent : times).toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return { finding: passed, signedAt: earliest?.at, isIndependent: independent.length > 0 };
};
