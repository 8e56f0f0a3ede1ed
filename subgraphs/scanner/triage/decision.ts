/** Statuses of a decision. `fixing` suppresses nothing. */
export const TRIAGE_STATUSES = ['not_affected', 'accepted', 'false_positive', 'fixing'] as const;
export type TriageStatus = (typeof TRIAGE_STATUSES)[number];

/** Scopes of a decision, the narrowest first, which wins. */
export const TRIAGE_SCOPES = ['component', 'product', 'tenant'] as const;

/** Justifications of OpenVEX for `not_affected`. */
export const JUSTIFICATIONS = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
] as const;

/** Statuses whose findings notify nobody. */
export const SUPPRESSING: readonly TriageStatus[] = ['not_affected', 'accepted', 'false_positive'];

export const isSuppressing = (status: TriageStatus): boolean => SUPPRESSING.includes(status);

/** State of a decision; only one that is in force has an effect. */
export type TriageState = 'in_force' | 'expired' | 'revoked' | 'superseded';

interface Ends {
  readonly revokedAt: Date | null;
  readonly supersededAt: Date | null;
  readonly expiredAt: Date | null;
  readonly expiresAt: Date | null;
}

/** State of a decision at a time. A decision is expired at its time of expiry, before the worker has recorded it. */
export const stateOf = ({ revokedAt, supersededAt, expiredAt, expiresAt }: Ends, now: Date): TriageState => {
  if (revokedAt) return 'revoked';
  if (supersededAt) return 'superseded';
  return expiredAt || (expiresAt && expiresAt <= now) ? 'expired' : 'in_force';
};
