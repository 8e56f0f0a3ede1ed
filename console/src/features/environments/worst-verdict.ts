import type { LandingVerdict } from '../../generated/operations.ts';

type Verdict = LandingVerdict | null;

/** Verdicts, the worst first; null before the landing is judged. */
const ORDER: readonly Verdict[] = ['MISMATCH', 'UNVERIFIED', null, 'VERIFIED'];

/** Worst verdict of the current deployments of several products; undefined without a deployment. */
export const worstVerdict = (current: readonly { readonly landingVerification: Verdict }[]): Verdict | undefined =>
  ORDER.find((verdict) => current.some(({ landingVerification }) => landingVerification === verdict));
