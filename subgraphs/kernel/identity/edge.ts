import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import { isTenantId, type TenantId } from '../core/ids.ts';
import { createLru } from '../core/lru.ts';
import { constantTimeEqual } from '../crypto/secrets.ts';
import { thumbprintOf } from '../http/client-certificates.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { TokenNames } from './denylist.ts';
import type { Dpop } from './dpop.ts';
import type { Keys } from './keys.ts';

interface EdgeOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: Keys;
  readonly clock: Clock;
  /** Whether a token was revoked, or its tenant, client or person stopped. Writes check again in their transaction. */
  readonly isRevoked: (names: TokenNames) => Promise<boolean>;
  /** Verifier of DPoP proofs (RFC 9449); without it, bound tokens are refused. */
  readonly proofs?: {
    readonly dpop: Pick<Dpop, 'prove'>;
    /** Public address to which clients send requests, from the settings. */
    readonly baseUrl: string;
  };
}

interface VerifyOptions {
  /** Whether to check the denylist even for a recently verified token. */
  readonly fresh?: boolean;
}

export type Holder = Omit<Caller, 'correlationId' | 'assertedTenants'> & { readonly tokenId: string };

/** Binding of a token (RFC 9449 6.1, RFC 8705 3.1): thumbprints of a key, of a certificate. */
export interface Binding {
  readonly jkt?: string;
  readonly 'x5t#S256'?: string;
}

/** Claims of a token: its holder, and the proof that each use needs. */
interface Claims {
  readonly holder: Holder;
  readonly binding: Binding | undefined;
}

interface Presented {
  readonly token: string;
  readonly isDpop: boolean;
}

const leewaySeconds = 60;
// A verified token is accepted this long without reading the denylist again (architecture 4); losing the cache costs
// time only.
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

/** Key id of a header without other members: `jwk` and `x5c` would be an attacker's own key. */
const keyIdOf = (token: string): string => {
  const { alg, typ, kid, ...rest } = headerOf(token);
  if (alg !== 'ES256' || typ !== 'at+jwt' || typeof kid !== 'string' || Object.keys(rest).length > 0)
    throw invalid('The header of the token is not one of our access tokens.');
  return kid;
};

const presentedBy = ({ authorization }: RequestHeaders): Presented => {
  const [only, ...rest] = authorization;
  if (rest.length > 0) throw invalid('The request carries more than one Authorization header.');
  const [, scheme = '', token] = /^(bearer|dpop) ([^ ]+)$/i.exec(only ?? '') ?? [];
  if (token === undefined) throw new Fault('AUTH_TOKEN_MISSING', 'The request carries no bearer token.');
  return { token, isDpop: scheme.toLowerCase() === 'dpop' };
};

const isThumbprint = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value);

/** Binding of a token. @throws Fault AUTH_TOKEN_INVALID for a binding that cannot be checked */
const bindingOf = (cnf: unknown): Binding | undefined => {
  if (cnf === undefined) return undefined;
  const entries = typeof cnf === 'object' && cnf !== null ? Object.entries(cnf) : [];
  const isKnown = entries.every(([name, value]) => (name === 'jkt' || name === 'x5t#S256') && isThumbprint(value));
  if (!isKnown || entries.length === 0) throw invalid('The token is bound to something unknown.');
  return Object.fromEntries(entries);
};

/** The tenant that a claim names, if the token has it. @throws Fault AUTH_TOKEN_INVALID for one that could not exist */
const tenantIn = (claim: unknown): TenantId | undefined => {
  if (claim === undefined) return undefined;
  if (typeof claim === 'string' && isTenantId(claim)) return claim;
  throw invalid('The token names no tenant that could exist.');
};

/** The clients and people of earlier tokens, if this one was exchanged. @throws Fault AUTH_TOKEN_INVALID */
const holdersIn = (claim: unknown): readonly string[] | undefined => {
  if (claim === undefined) return undefined;
  const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (Array.isArray(claim) && claim.every(isId)) return claim;
  throw invalid('The token does not name the holders of the tokens that it came of.');
};

const claimsOf = (payload: JWTPayload): Claims => {
  const { sub, jti, client_id: clientId, scope, cnf } = payload;
  const tenant = tenantIn(payload['svc:tenant']);
  const claimed = tenant === undefined ? tenantIn(payload.tenant ?? payload.tenant_id) : undefined;
  const earlierHolders = holdersIn(payload['svc:holders']);
  const { 'svc:plan': plan, 'svc:license': license } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string')
    throw invalid('The token lacks a claim that every access token has.');
  const holder: Holder = {
    ...(tenant !== undefined && { tenant }),
    ...(claimed !== undefined && { claimedTenant: claimed }),
    subject: sub,
    clientId,
    ...(earlierHolders && { earlierHolders }),
    scopes: new Set(scope.split(' ').filter((word) => word !== '')),
    // RFC 9068 2.2: without a person behind it, the subject is the client, or the one for which another acts.
    kind: sub === clientId || payload['svc:kind'] === 'client' ? 'client' : 'user',
    tokenId: jti,
    ...(typeof plan === 'string' && { plan }),
    ...(typeof license === 'string' && { license }),
  };
  return { holder, binding: bindingOf(cnf) };
};

/** @throws Fault AUTH_TOKEN_INVALID unless the request came with the certificate that the token is bound to */
const checkCertificate = (thumbprint: string, { certificate }: RequestHeaders): void => {
  if (certificate && constantTimeEqual(thumbprintOf(certificate), thumbprint)) return;
  throw invalid('The token is bound to a client certificate, which this request does not come with.');
};

/** Marks a refusal of a token that is bound to a key, whose holder is challenged for a proof (RFC 9449 7.1). */
const asBoundFault = (error: unknown): unknown =>
  error instanceof Fault && error.status === 401
    ? new Fault(error.code, error.message, { ...error.details, binding: 'dpop' }, error.fields, { cause: error.cause })
    : error;

/** Fault of a refused proof in the terms of a resource server (RFC 9449 7.1): 401, and why in `details`. */
const asProofFault = (error: unknown): unknown =>
  error instanceof Fault && error.status === 400
    ? new Fault('AUTH_TOKEN_INVALID', error.message, { ...error.details, error: error.code })
    : error;

const asTokenFault = (error: unknown): unknown => {
  if (error instanceof errors.JWTExpired) return new Fault('AUTH_TOKEN_EXPIRED', 'The token has expired.');
  if (error instanceof errors.JOSEError) return invalid('The token cannot be verified.');
  return error;
};

type VerifyingOptions = Pick<EdgeOptions, 'issuer' | 'keys' | 'clock'> & { readonly audience: string | string[] };

const verify = async (token: string, options: VerifyingOptions): Promise<Claims> => {
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

/** Verifies an access token; its caller checks denylist and proof. Throws AUTH_TOKEN_INVALID or AUTH_TOKEN_EXPIRED. */
export const verifyAccessToken = (token: string, options: VerifyingOptions): Promise<Claims> =>
  verify(token, options).catch((error: unknown) => {
    throw asTokenFault(error);
  });

/** Identifies the caller of a request, or refuses it with one of the AUTH_TOKEN codes. */
export const createEdge = (options: EdgeOptions) => {
  /** Verified tokens of the last seconds. */
  const cache = createLru<string, Claims>({
    most: cacheSize,
    lifeMs: cacheMs,
    now: () => options.clock.now().getTime(),
  });

  const claimsFor = async (token: string, { fresh = false }: VerifyOptions): Promise<Claims> => {
    const known = cache.get(token);
    if (known && !fresh) return known;
    const claims = await verifyAccessToken(token, options);
    const { tokenId: jti, tenant, claimedTenant, clientId, subject } = claims.holder;
    if (await options.isRevoked({ jti, tenant: tenant ?? claimedTenant, clientId, subject })) {
      cache.clear();
      throw new Fault('AUTH_TOKEN_REVOKED', 'The token was revoked.');
    }
    cache.set(token, claims);
    return claims;
  };

  /** Requests with a verified proof: checking again during a long response is not a second use. */
  const proved = new WeakSet<RequestHeaders>();

  /** Checks the proof of a bound token on each use, even of a recently verified token. */
  const checkKey = async (jkt: string, token: string, requestHeaders: RequestHeaders): Promise<void> => {
    if (proved.has(requestHeaders)) return;
    const { proofs } = options;
    const { method, target, dpop: proof } = requestHeaders;
    if (!proofs) throw invalid('The token is bound to a DPoP key, and this listener accepts no DPoP proofs.');
    const url = proofs.baseUrl + (target.split('?', 1)[0] ?? '');
    const provedKey = await proofs.dpop
      .prove({ proof, method, url, accessToken: token, jkt })
      .catch((error: unknown) => {
        throw asProofFault(error);
      });
    if (provedKey !== jkt) throw invalid('The token is bound to a key, of which the request carries no proof.');
    proved.add(requestHeaders);
  };

  const checkBinding = async (
    { token, isDpop }: Presented,
    binding: Binding,
    requestHeaders: RequestHeaders,
  ): Promise<void> => {
    const { jkt, 'x5t#S256': thumbprint } = binding;
    if (thumbprint !== undefined) checkCertificate(thumbprint, requestHeaders);
    if (jkt !== undefined) await checkKey(jkt, token, requestHeaders);
    else if (isDpop) throw invalid('The token is bound to no key: its scheme is Bearer.');
  };

  const asCaller = ({ holder }: Claims, { correlationId, assertedTenants }: RequestHeaders): Caller => ({
    ...holder,
    correlationId,
    assertedTenants,
  });

  return {
    /** Caller of a request by its token and its proof. Throws AUTH_TOKEN_MISSING, or the codes of `callerOf`. */
    async bearer(requestHeaders: RequestHeaders, verifyOptions: VerifyOptions = {}): Promise<Caller> {
      const presented = presentedBy(requestHeaders);
      let isBound = presented.isDpop;
      try {
        const claims = await claimsFor(presented.token, verifyOptions);
        isBound = claims.binding?.jkt !== undefined;
        await checkBinding(presented, claims.binding ?? {}, requestHeaders);
        return asCaller(claims, requestHeaders);
      } catch (error) {
        throw isBound ? asBoundFault(error) : error;
      }
    },
    /** Caller of an unbound token that came without its holder. Throws AUTH_TOKEN_INVALID, _EXPIRED or _REVOKED. */
    async callerOf(token: string, requestHeaders: RequestHeaders, verifyOptions: VerifyOptions = {}): Promise<Caller> {
      const claims = await claimsFor(token, verifyOptions);
      if (claims.binding) throw invalid('The token is bound to a key or certificate, so its holder must send it.');
      return asCaller(claims, requestHeaders);
    },
    /** Clears the cache of verified tokens, after a revocation. */
    forget: (): void => cache.clear(),
  };
};

export type Edge = ReturnType<typeof createEdge>;
