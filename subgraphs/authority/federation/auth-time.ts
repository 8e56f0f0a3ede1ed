import { ClientError } from 'openid-client';
import type { SignInRequest } from '../sign-in/requests.ts';

/** Maximum age of a sign-in at the provider, sent as `max_age` so that the provider states its time (Core 3.1.2.1). */
const OLDEST_MS = 30 * 86_400_000;
/** Tolerated clock difference of the provider. */
const SKEW_MS = 30_000;

/** Maximum age of the person's sign-in at the provider on return. */
export const maxSignInAgeMs = ({ prompts, maxAgeMs }: Pick<SignInRequest, 'prompts' | 'maxAgeMs'>): number =>
  prompts.includes('login') ? 0 : Math.min(maxAgeMs ?? OLDEST_MS, OLDEST_MS);

/** Error: the provider accepted an older sign-in than requested, or does not state its time. */
export class StaleSignIn extends ClientError {
  override readonly name = 'NotFresh';
}

/** Time of the sign-in at the provider: its claim `auth_time`, else the earliest allowed. Throws StaleSignIn. */
export const authTimeOf = (
  claim: unknown,
  { leftAt, oldestMs }: { readonly leftAt: number; readonly oldestMs: number },
): Date => {
  const since = leftAt - oldestMs;
  if (typeof claim !== 'number' && oldestMs < OLDEST_MS) throw new StaleSignIn('the ID token has no auth_time');
  const at = typeof claim === 'number' ? claim * 1_000 : since;
  // The claim has whole seconds, so the second in which the person left for the provider counts.
  if (at < Math.floor(since / 1_000) * 1_000 - SKEW_MS)
    throw new StaleSignIn('the sign-in is older than was asked for');
  return new Date(at);
};
