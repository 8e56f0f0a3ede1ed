import { ClientError } from 'openid-client';
import type { SignInRequest } from '../sign-in/requests.ts';

/** A sign-in there that is older than this begins anew, so that a provider must say when it was (Core 3.1.2.1). */
const OLDEST_MS = 30 * 86_400_000;
/** By how much the provider's clock may be behind. */
const SKEW_MS = 30_000;

/** How old the person's sign-in at the provider may be at most when they come back. */
export const maxSignInAgeMs = ({ prompts, maxAgeMs }: Pick<SignInRequest, 'prompts' | 'maxAgeMs'>): number =>
  prompts.includes('login') ? 0 : Math.min(maxAgeMs ?? OLDEST_MS, OLDEST_MS);

/** The provider let somebody in whom it had been asked to let sign in anew, or does not say when they did. */
export class StaleSignIn extends ClientError {
  override readonly name = 'NotFresh';
}

/**
 * When somebody signed in at the provider: that is when they proved who they are, not when they came back from there.
 * Without a word on it, as long ago as was allowed.
 * @param claim `auth_time`, which `max_age` makes a provider say (OpenID Connect Core 2)
 * @throws NotFresh
 */
export const authTimeOf = (
  claim: unknown,
  { leftAt, oldestMs }: { readonly leftAt: number; readonly oldestMs: number },
): Date => {
  const since = leftAt - oldestMs;
  if (typeof claim !== 'number' && oldestMs < OLDEST_MS) throw new StaleSignIn('the ID token has no auth_time');
  const at = typeof claim === 'number' ? claim * 1_000 : since;
  // Whole seconds: the second in which somebody left is late enough.
  if (at < Math.floor(since / 1_000) * 1_000 - SKEW_MS)
    throw new StaleSignIn('the sign-in is older than was asked for');
  return new Date(at);
};
