import { RFC3161Timestamp } from '@sigstore/core';
import { type Finding, failed, passed, skipped } from './finding.ts';
import type { TrustedAuthority } from './trust.ts';

/** What timestamp authorities say of a signature. */
export interface Times {
  readonly finding: Finding;
  /** The earliest time that was attested; undefined unless the check passed. */
  readonly signedAt: Date | undefined;
}

/** Checks every token over a signature's bytes; one that is wrong is not made good by another. */
export const checkTimes = (tokens: readonly Buffer[], authorities: readonly TrustedAuthority[]): Times => {
  if (authorities.length === 0)
    return { finding: skipped('authority-unknown', 'no timestamp authority is trusted'), signedAt: undefined };
  try {
    const times = tokens.map((token) => RFC3161Timestamp.parse(Buffer.from(token)).signingTime.getTime());
    return { finding: passed, signedAt: new Date(Math.min(...times)) };
  } catch {
    return { finding: failed('timestamp-malformed', 'a timestamp cannot be read'), signedAt: undefined };
  }
};
