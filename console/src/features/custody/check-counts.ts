import type { AttestationCheckName, VerificationFragment } from '../../generated/operations.ts';

/** What a proof may lack: there may be no authority for time, and no earlier checkpoint to compare with. */
export const OPTIONAL: ReadonlySet<AttestationCheckName> = new Set(['CONSISTENCY', 'TIMESTAMP']);

type Check = VerificationFragment['checks'][number];

/** Of a statement that holds, a check was left out because nothing is configured that it could ask. */
export const isUnconfigured = ({ name, result }: Check, verified: boolean): boolean =>
  verified && name === 'TIMESTAMP' && result === 'SKIPPED';

/** How many checks hold and how many do not, were not made, or could not be as nothing is configured for them. */
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
