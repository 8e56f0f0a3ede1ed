import type { Clock } from '@landfall/kernel/core/clock';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { listNamesOfUser } from '../groups/groups.store.ts';
import { openJwt } from '../keys/jwt.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../settings.ts';
import type { User } from '../users/users.store.ts';

export interface SignIn {
  readonly person: Person;
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

/** A person with the names of their groups, which are read where the scope `groups` was granted. */
export interface Person extends Pick<User, 'id' | 'username' | 'displayName' | 'email'> {
  readonly groups: readonly string[];
}

/** Adds the names of the person's groups where the scopes ask for them. */
export const findPerson = async (
  query: Query,
  tenant: TenantId,
  { user, scopes }: { readonly user: User; readonly scopes: readonly string[] },
): Promise<Person> => ({
  ...user,
  groups: scopes.includes('groups')
    ? (await listNamesOfUser(query, tenant, user.id)).map(({ displayName }) => displayName)
    : [],
});

/**
 * Claims about a person that the scopes allow (OpenID Connect Core 5.4), for ID tokens and userinfo. An address is not
 * verified: administrators, directories and providers state it, and the authority has sent it no mail.
 */
export const personalClaims = (person: Person, scopes: readonly string[]) => ({
  ...(scopes.includes('profile') && { preferred_username: person.username, name: person.displayName }),
  ...(scopes.includes('email') && person.email !== null && { email: person.email, email_verified: false }),
  ...(scopes.includes('groups') && { groups: person.groups }),
});

export const createIdTokens = (
  { clock, keys }: { readonly clock: Clock; readonly keys: Keys },
  { issuer, accessTokenMs }: AuthoritySettings,
): IdTokens => ({
  sign: ({ person, clientId, scopes, authTime, amr, nonce }) =>
    keys.sign('JWT', {
      iss: issuer,
      sub: person.id,
      aud: clientId,
      iat: seconds(clock.now()),
      exp: seconds(clock.now()) + Math.floor(accessTokenMs / 1000),
      auth_time: seconds(authTime),
      ...(amr.length > 0 && { amr }),
      ...(nonce !== null && { nonce }),
      ...personalClaims(person, scopes),
    }),

  async readHint(token) {
    const { header, claims } = (await openJwt(token, keys.find)) ?? {};
    if (header?.typ !== 'JWT' || claims?.iss !== issuer) return undefined;
    const { sub, aud } = claims;
    return typeof sub === 'string' && typeof aud === 'string' ? { subject: sub, clientId: aud } : undefined;
  },
});
