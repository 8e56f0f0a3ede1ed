import type { Clock } from '@landfall/kernel/core/clock';
import { isTenantId, type TenantId } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Confirmation } from '../clients/sender-constraint.ts';
import { openJwt } from '../keys/jwt.ts';
import type { Keys } from '../keys/keys.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';

/** Actor for the subject, with earlier actors (RFC 8693 4.1). */
export interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

/** Content of an access token, apart from issuer and time of issue. */
export interface Grant {
  readonly jti: string;
  readonly subject: string;
  readonly clientId: string;
  readonly tenant: TenantId;
  readonly scopes: readonly string[];
  /** Platform audience, or the requested resources (RFC 8707). */
  readonly audience: string | readonly string[];
  /** The registry plan and licence that it carries (spec 5.3). */
  readonly plan: string | undefined;
  readonly license: string | undefined;
  readonly cnf: Confirmation | undefined;
  readonly act: Actor | undefined;
  /** Clients and people of the tenant that held or acted with the tokens this one was exchanged from. */
  readonly earlierHolders?: readonly string[] | undefined;
  /** Whether the subject is a client, though another one may hold the token. */
  readonly ofClient?: boolean;
  readonly expiresAt: Date;
}

export interface AccessToken extends Grant {
  readonly issuedAt: Date;
}

export const accessTokenEvent = eventsOf('AccessToken');

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): value is string | undefined => value === undefined || isText(value);
const isInstant = (value: unknown): value is number => Number.isSafeInteger(value);

const isAudience = (value: unknown): value is string | readonly string[] =>
  isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));

const isConfirmation = (value: unknown): value is Confirmation | undefined =>
  value === undefined ||
  (typeof value === 'object' &&
    value !== null &&
    (('jkt' in value && isText(value.jkt)) || ('x5t#S256' in value && isText(value['x5t#S256']))));

const isTexts = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(isText));

const isActor = (value: unknown): value is Actor | undefined =>
  value === undefined ||
  (typeof value === 'object' &&
    value !== null &&
    'sub' in value &&
    isText(value.sub) &&
    (!('act' in value) || isActor(value.act)));

/** Longest accepted `jti`, the key of the denylist. */
const MAX_JTI_LENGTH = 128;

export const createAccessTokens = (
  { clock, keys }: { readonly clock: Clock; readonly keys: Keys },
  { issuer, accessTokenMs }: Pick<AuthoritySettings, 'issuer' | 'accessTokenMs'>,
) => ({
  /** Expiry of a token issued now. */
  expiry: (): Date => new Date((seconds(clock.now()) + Math.floor(accessTokenMs / 1000)) * 1000),

  /** Signs an RFC 9068 token. No claim's name comes from a client or a person. */
  sign: ({
    jti,
    subject,
    clientId,
    tenant,
    scopes,
    audience,
    plan,
    license,
    cnf,
    act,
    ...grant
  }: Grant): Promise<string> =>
    keys.sign('at+jwt', {
      iss: issuer,
      sub: subject,
      aud: audience,
      client_id: clientId,
      scope: scopes.join(' '),
      iat: seconds(clock.now()),
      exp: seconds(grant.expiresAt),
      jti,
      'svc:tenant': tenant,
      'svc:plan': plan,
      'svc:license': license,
      // Otherwise a client could present the token as the person's own where another client acts for the person.
      'svc:kind': grant.ofClient && subject !== clientId ? 'client' : undefined,
      'svc:holders': grant.earlierHolders,
      cnf,
      act,
    }),

  /** Verifies signature, issuer, type and expiry with `leewayMs`, whatever the audience. The denylist is not asked. */
  async verify(token: string, leewayMs = 0): Promise<AccessToken | undefined> {
    const { header, claims } = (await openJwt(token, keys.find)) ?? {};
    if (header?.typ !== 'at+jwt' || claims?.iss !== issuer) return undefined;
    const { sub, aud, client_id: clientId, scope, iat, exp, jti, cnf, act, 'svc:tenant': tenant } = claims;
    const { 'svc:plan': plan, 'svc:license': license, 'svc:kind': kind, 'svc:holders': earlierHolders } = claims;
    if (!isText(sub) || !isText(clientId) || typeof scope !== 'string' || !isText(jti) || !isText(tenant))
      return undefined;
    if (!isInstant(iat) || !isInstant(exp) || exp * 1000 + leewayMs <= clock.now().getTime()) return undefined;
    if (jti.length > MAX_JTI_LENGTH || !isTenantId(tenant) || !isAudience(aud)) return undefined;
    if (!isOptionalText(plan) || !isOptionalText(license) || !isConfirmation(cnf) || !isActor(act)) return undefined;
    if (!isTexts(earlierHolders)) return undefined;
    const scopes = scope.split(' ').filter((word) => word !== '');
    const [issuedAt, expiresAt] = [new Date(iat * 1000), new Date(exp * 1000)];
    const known = { jti, subject: sub, clientId, tenant, scopes, audience: aud, plan, license, cnf, act };
    return { ...known, earlierHolders, ofClient: sub === clientId || kind === 'client', issuedAt, expiresAt };
  },
});

export type AccessTokens = ReturnType<typeof createAccessTokens>;
