import type { AttestationCheckName, VerificationFragment } from '../../generated/operations.ts';

/** Checks that a proof may lack: no timestamp authority may be configured, and no earlier checkpoint may exist. */
export const OPTIONAL: ReadonlySet<AttestationCheckName> = new Set(['CONSISTENCY', 'TIMESTAMP']);

type Check = VerificationFragment['checks'][number];

/** Whether a check of a valid statement was skipped because nothing is configured for it. */
export const isUnconfigured = ({ name, result }: Check, verified: boolean): boolean =>
  verified && name === 'TIMESTAMP' && result === 'SKIPPED';

export function countChecks({ checks, verified }: Pick<VerificationFragment, 'checks' | 'verified'>) {
  const count = (is: (check: Check) => boolean): number => checks.filter(is).length;
  const unset = count((check) => isUnconfigured(check, verified));
  return {
    holds: count(({ result }) => result === 'PASS'),
    fails: count(({ result }) => result === 'FAIL'),
    unmade: count(({ result }) => result === 'SKIPPED') - unset,
    unset,
  };
}
