import type { Clock } from '@landfall/kernel/clock';
import { type Claims, openJwt } from '../keys/jwt.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../settings.ts';
import type { User } from '../users/users.store.ts';

export interface SignIn {
  readonly user: User;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly authTime: Date;
  /** How they signed in, in RFC 8176 words. */
  readonly amr: readonly string[];
  readonly nonce: string | null;
}

export interface IdTokens {
  /** An ID token (OpenID Connect Core 2), as old as an access token may become. */
  sign(signIn: SignIn): Promise<string>;
  /** Whose sign-in an `id_token_hint` speaks of; an expired one still does (RP-Initiated Logout 2). */
  readHint(token: string): Promise<{ readonly subject: string; readonly clientId: string } | undefined>;
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

export const profileOf = ({ username, displayName }: Pick<User, 'username' | 'displayName'>): Claims => ({
  preferred_username: username,
  name: displayName,
});

export const createIdTokens = (
  { clock, keys }: { readonly clock: Clock; readonly keys: Keys },
  { issuer, accessTokenMs }: AuthoritySettings,
): IdTokens => ({
  sign: ({ user, clientId, scopes, authTime, amr, nonce }) =>
    keys.sign('JWT', {
      iss: issuer,
      sub: user.id,
      aud: clientId,
      iat: seconds(clock.now()),
      exp: seconds(clock.now()) + Math.floor(accessTokenMs / 1000),
      auth_time: seconds(authTime),
      ...(amr.length > 0 && { amr }),
      ...(nonce !== null && { nonce }),
      ...(scopes.includes('profile') && profileOf(user)),
    }),

  async readHint(token) {
    const { header, claims } = (await openJwt(token, keys.find)) ?? {};
    if (header?.typ !== 'JWT' || claims?.iss !== issuer) return undefined;
    const { sub, aud } = claims;
    return typeof sub === 'string' && typeof aud === 'string' ? { subject: sub, clientId: aud } : undefined;
  },
});
