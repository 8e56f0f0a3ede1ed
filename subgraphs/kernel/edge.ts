import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';
import type { Arrival } from './arrival.ts';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import { Fault } from './fault.ts';
import { isTenantId } from './ids.ts';
import type { Keys } from './keys.ts';

export interface EdgeOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: Keys;
  readonly clock: Clock;
  /** Whether a token was revoked, by its `jti`. Writes ask again in their transaction. */
  readonly isRevoked: (jti: string) => Promise<boolean>;
}

export interface VerifyOptions {
  /** Asks the denylist even when the token was verified a moment ago. */
  readonly fresh?: boolean;
}

/** Turns what a request carries into a Caller, or refuses it with one of the AUTH_TOKEN codes. */
export interface Edge {
  /** The caller of a request with a bearer token. @throws Fault AUTH_TOKEN_MISSING, and what `callerOf` throws. */
  bearer(arrival: Arrival, options?: VerifyOptions): Promise<Caller>;
  /** The caller behind an access token, however it came here. @throws Fault AUTH_TOKEN_INVALID, _EXPIRED, _REVOKED */
  callerOf(token: string, arrival: Arrival, options?: VerifyOptions): Promise<Caller>;
  /** Forgets what was verified: the answer to a revocation notice. */
  forget(): void;
}

type Claims = Omit<Caller, 'correlationId' | 'assertedTenants'> & { readonly tokenId: string };

const leewaySeconds = 60;
// A verified token is believed this long without asking again (architecture 4); losing the cache costs time only.
const cacheMs = 5_000;
const cacheSize = 10_000;

const invalid = (message: string): Fault => new Fault('AUTH_TOKEN_INVALID', message);

// jose reads padded, spaced and non-canonical base64url, by which one signature would have many spellings.
const isCanonical = (token: string): boolean =>
  /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) &&
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

const headerOf = (token: string): ProtectedHeaderParameters => {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw invalid('The token is not a signed JWT.');
  }
};

/** The key id of a header that says nothing else: `jwk`, `x5c` and their kind are an attacker's own key. */
const keyIdOf = (token: string): string => {
  const { alg, typ, kid, ...rest } = headerOf(token);
  if (alg !== 'ES256' || typ !== 'at+jwt' || typeof kid !== 'string' || Object.keys(rest).length > 0)
    throw invalid('The header of the token is not one of our access tokens.');
  return kid;
};

/** The token of the one Authorization header. */
const bearerOf = ({ authorization }: Arrival): string => {
  const [only, ...more] = authorization;
  if (more.length > 0) throw invalid('The request carries more than one Authorization header.');
  const token = /^bearer ([^ ]+)$/i.exec(only ?? '')?.[1];
  if (token === undefined) throw new Fault('AUTH_TOKEN_MISSING', 'The request carries no bearer token.');
  return token;
};

const claimsOf = (payload: JWTPayload): Claims => {
  const { sub, jti, client_id: clientId, scope, cnf, 'svc:tenant': tenant } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string')
    throw invalid('The token lacks a claim that every access token has.');
  if (cnf !== undefined) throw invalid('The token is bound to a proof, which a bearer does not give.');
  if (tenant !== undefined && !(typeof tenant === 'string' && isTenantId(tenant)))
    throw invalid('The token names no tenant that could exist.');
  return {
    ...(tenant !== undefined && { tenant }),
    subject: sub,
    clientId,
    scopes: new Set(scope.split(' ').filter((word) => word !== '')),
    // RFC 9068 2.2: without a person behind it, the subject is the client.
    kind: sub === clientId ? 'client' : 'user',
    tokenId: jti,
  };
};

const asTokenFault = (error: unknown): unknown => {
  if (error instanceof errors.JWTExpired) return new Fault('AUTH_TOKEN_EXPIRED', 'The token has expired.');
  if (error instanceof errors.JOSEError) return invalid('The token cannot be verified.');
  return error;
};

const verify = async (token: string, options: EdgeOptions): Promise<Claims> => {
  const { issuer, audience, clock, keys } = options;
  if (!isCanonical(token)) throw invalid('The token is not a signed JWT.');
  const key = await keys.find(keyIdOf(token));
  if (!key) throw invalid('The token was signed by no key of the authority.');
  const now = clock.now();
  const { payload } = await jwtVerify(token, key, {
    algorithms: ['ES256'],
    typ: 'at+jwt',
    issuer,
    audience,
    clockTolerance: leewaySeconds,
    currentDate: now,
    requiredClaims: ['exp', 'iat'],
  });
  const { iat = Infinity, exp = -Infinity } = payload;
  if (iat > now.getTime() / 1000 + leewaySeconds || exp <= iat) throw invalid('The token is from another time.');
  return claimsOf(payload);
};

/** Verified tokens of the last seconds, the oldest first, so that the one to drop is always at the front. */
const createCache = (clock: Clock) => {
  const entries = new Map<string, { claims: Claims; until: number }>();
  return {
    find(token: string): Claims | undefined {
      const entry = entries.get(token);
      return entry && entry.until > clock.now().getTime() ? entry.claims : undefined;
    },
    keep(token: string, claims: Claims): void {
      entries.delete(token);
      entries.set(token, { claims, until: clock.now().getTime() + cacheMs });
      const [oldest] = entries.keys();
      if (entries.size > cacheSize && oldest !== undefined) entries.delete(oldest);
    },
    clear: () => entries.clear(),
  };
};

export const createEdge = (options: EdgeOptions): Edge => {
  const cache = createCache(options.clock);

  const claimsFor = async (token: string, { fresh = false }: VerifyOptions): Promise<Claims> => {
    const known = cache.find(token);
    if (known && !fresh) return known;
    const claims = await verify(token, options).catch((error: unknown) => {
      throw asTokenFault(error);
    });
    if (await options.isRevoked(claims.tokenId)) {
      cache.clear();
      throw new Fault('AUTH_TOKEN_REVOKED', 'The token was revoked.');
    }
    cache.keep(token, claims);
    return claims;
  };

  const callerOf: Edge['callerOf'] = async (token, { correlationId, assertedTenants }, verifyOptions = {}) => ({
    ...(await claimsFor(token, verifyOptions)),
    correlationId,
    assertedTenants,
  });

  return {
    bearer: async (arrival, verifyOptions) => callerOf(bearerOf(arrival), arrival, verifyOptions),
    callerOf,
    forget: () => cache.clear(),
  };
};
