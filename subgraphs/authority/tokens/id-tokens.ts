import type { Clock } from '@landfall/kernel/core/clock';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { listNamesOfUser } from '../groups/groups.ts';
import { openJwt } from '../keys/jwt.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { User } from '../users/users.ts';

interface SignIn {
  readonly person: Person;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly authTime: Date;
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[];
  readonly nonce: string | null;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Person with the names of their groups, read where the scope `groups` is granted. */
export interface Person extends Pick<User, 'id' | 'username' | 'displayName' | 'email'> {
  readonly groups: readonly string[];
}

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
 * Claims about a person by scope (OpenID Connect Core 5.4). An e-mail is unverified: the authority has sent it no mail.
 */
export const personalClaims = (person: Person, scopes: readonly string[]) => ({
  ...(scopes.includes('profile') && { preferred_username: person.username, name: person.displayName }),
  ...(scopes.includes('email') && person.email !== null && { email: person.email, email_verified: false }),
  ...(scopes.includes('groups') && { groups: person.groups }),
});

export const createIdTokens = (
  { clock, keys }: { readonly clock: Clock; readonly keys: Keys },
  { issuer, accessTokenMs }: AuthoritySettings,
) => ({
  /** Signs an ID token (OpenID Connect Core 2) with the lifetime of an access token. */
  sign: ({ person, clientId, scopes, authTime, amr, nonce }: SignIn): Promise<string> =>
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

  /** Subject and client of an `id_token_hint`; an expired one counts (RP-Initiated Logout 2). */
  async readHint(token: string): Promise<{ readonly subject: string; readonly clientId: string } | undefined> {
    const { header, claims } = (await openJwt(token, keys.find)) ?? {};
    if (header?.typ !== 'JWT' || claims?.iss !== issuer) return undefined;
    const { sub, aud } = claims;
    return typeof sub === 'string' && typeof aud === 'string' ? { subject: sub, clientId: aud } : undefined;
  },
});

export type IdTokenIssuer = ReturnType<typeof createIdTokens>;
