import type { Clock } from '@landfall/kernel/clock';
import { isTenantId, type TenantId } from '@landfall/kernel/ids';
import { openJwt } from '../keys/jwt.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../settings.ts';

/** What an access token says, apart from whose and when it is the same for all. */
export interface Grant {
  readonly jti: string;
  readonly subject: string;
  readonly clientId: string;
  readonly tenant: TenantId;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/** A verified access token. */
export interface AccessToken extends Grant {
  readonly issuedAt: Date;
}

export interface AccessTokens {
  /** When a token that is issued at this moment ends. */
  expiry(): Date;
  /** A signed RFC 9068 token. */
  sign(grant: Grant): Promise<string>;
  /** The token's contents when it is one of ours, whole and not expired by more than `leewayMs`. Not the denylist's word. */
  verify(token: string, leewayMs?: number): Promise<AccessToken | undefined>;
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isInstant = (value: unknown): value is number => Number.isSafeInteger(value);

/** Longest `jti` that is believed: the denylist is looked up by it. */
const LONGEST_JTI = 128;

export const createAccessTokens = (
  { clock, keys }: { readonly clock: Clock; readonly keys: Keys },
  { issuer, audience, accessTokenMs }: AuthoritySettings,
): AccessTokens => ({
  expiry: () => new Date((seconds(clock.now()) + Math.floor(accessTokenMs / 1000)) * 1000),

  sign: ({ jti, subject, clientId, tenant, scopes, expiresAt }) =>
    keys.sign('at+jwt', {
      iss: issuer,
      sub: subject,
      aud: audience,
      client_id: clientId,
      scope: scopes.join(' '),
      iat: seconds(clock.now()),
      exp: seconds(expiresAt),
      jti,
      'svc:tenant': tenant,
    }),

  async verify(token, leewayMs = 0) {
    const { header, claims } = (await openJwt(token, keys.find)) ?? {};
    if (header?.typ !== 'at+jwt' || claims?.iss !== issuer || claims.aud !== audience) return undefined;
    const { sub, client_id: clientId, scope, iat, exp, jti, 'svc:tenant': tenant } = claims;
    if (!isText(sub) || !isText(clientId) || typeof scope !== 'string' || !isText(jti) || !isText(tenant))
      return undefined;
    if (!isInstant(iat) || !isInstant(exp) || exp * 1000 + leewayMs <= clock.now().getTime()) return undefined;
    if (jti.length > LONGEST_JTI || !isTenantId(tenant)) return undefined;
    const scopes = scope.split(' ').filter((word) => word !== '');
    const [issuedAt, expiresAt] = [new Date(iat * 1000), new Date(exp * 1000)];
    return { jti, subject: sub, clientId, tenant, scopes, issuedAt, expiresAt };
  },
});
