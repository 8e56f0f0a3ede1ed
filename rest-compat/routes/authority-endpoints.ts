import type { Authority, ProtocolRequest } from '@landfall/authority';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { DPOP_ALGORITHMS } from '@landfall/kernel/identity/dpop-key';
import { oauth } from '@landfall/kernel/routes/dialects/oauth';
import {
  type Answer,
  type AuthenticationMethod,
  type Dialect,
  json,
  protocolRoute,
  type Route,
  type RouteRequest,
  type RouteSchemas,
} from '@landfall/kernel/routes/route';
import Type from 'typebox';
import * as schemas from './authority-schemas.ts';

const NO_STORE = { 'cache-control': 'no-store' };
/** Headers of a token endpoint's answers (RFC 6749 5.1). */
const PRIVATE = { ...NO_STORE, pragma: 'no-cache' };
/** Headers of public documents: caches keep an answer for each origin, which alone may read it by script. */
const SHARED = { 'cache-control': 'public, max-age=300', vary: 'Origin' };
const SUNSET = 'Fri, 01 May 2026 00:00:00 GMT';

const common = { module: 'authority', dialect: oauth } as const;
const post = { ...common, method: 'POST', accepts: 'form', bodyLimit: 64 * 1024 } as const;
const get = { ...common, method: 'GET' } as const;

const protocolRequest = (
  { headers, body, requestId, certificate, address }: RouteRequest,
  path: string,
): ProtocolRequest => ({
  authorization: headers.authorization,
  body,
  requestId,
  dpop: headers.dpop,
  certificate,
  path,
  address,
});

/** An answer with the nonce that the next proof may carry (RFC 9449 8.2), a refusal too. */
const withNonce = async (nonce: string, answer: Promise<Answer>): Promise<Answer> => {
  try {
    const { headers, ...rest } = await answer;
    return { ...rest, headers: { ...headers, 'dpop-nonce': nonce } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, details, fields, cause } = error;
    throw new Fault(code, message, { nonce, ...details }, fields, { cause });
  }
};

/** Authentication methods of a confidential client. */
const CONFIDENTIAL: readonly AuthenticationMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'tls_client_auth',
  'self_signed_tls_client_auth',
];
const ANY_CLIENT: readonly AuthenticationMethod[] = [...CONFIDENTIAL, 'none'];

interface Endpoint {
  readonly path: string;
  readonly authentication: readonly AuthenticationMethod[];
  readonly summary: string;
  readonly schemas: RouteSchemas;
  answer(request: ProtocolRequest): Promise<Answer>;
}

/** Endpoints of the protocols, for clients that prove who they are. */
const endpointsOf = (authority: Authority): readonly Endpoint[] => [
  {
    path: '/token',
    authentication: ANY_CLIENT,
    summary: 'Issues tokens.',
    schemas: schemas.token,
    answer: async (request) => json(200, await authority.token(request), PRIVATE),
  },
  {
    path: '/introspect',
    authentication: CONFIDENTIAL,
    summary: 'Says what a token is worth.',
    schemas: schemas.introspect,
    answer: async (request) => json(200, await authority.introspect(request), NO_STORE),
  },
  {
    path: '/revoke',
    authentication: ANY_CLIENT,
    summary: 'Revokes a token.',
    schemas: schemas.revoke,
    answer: async (request) => {
      await authority.revoke(request);
      return { status: 200, headers: NO_STORE };
    },
  },
];

const moreEndpointsOf = (authority: Authority): readonly Endpoint[] => [
  {
    path: '/par',
    authentication: ANY_CLIENT,
    summary: 'Takes an authorization request from the client itself (RFC 9126).',
    schemas: schemas.pushedRequest,
    answer: async (request) => json(201, await authority.pushedRequest(request), NO_STORE),
  },
  {
    path: '/device_authorization',
    authentication: ANY_CLIENT,
    summary: 'Begins the sign-in of a device without a browser (RFC 8628).',
    schemas: schemas.deviceAuthorization,
    answer: async (request) => json(200, await authority.deviceAuthorization(request), NO_STORE),
  },
];

const keySet = (authority: Authority, path: string): Route =>
  protocolRoute({
    ...get,
    path,
    summary: 'The keys that verify issued tokens.',
    schemas: schemas.keySet,
    handle: async ({ headers }) => {
      const body = JSON.stringify(await authority.keys.jwks());
      const etag = `"${sha256Hex(body).slice(0, 32)}"`;
      const cached = { etag, ...SHARED };
      if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
      return { status: 200, headers: { 'content-type': 'application/json', ...cached }, body };
    },
  });

const metadata = (authority: Authority, path: string): Route =>
  protocolRoute({
    ...get,
    path,
    summary: 'Metadata of this authority (RFC 8414, OpenID Connect Discovery).',
    schemas: { response: { 200: Type.Object({ issuer: Type.String() }) } },
    handle: async () => json(200, authority.metadata, SHARED),
  });

const ALGORITHMS = `algs="${DPOP_ALGORITHMS.join(' ')}"`;

/** Challenge of a request without a token: the schemes, and no error (RFC 6750 3.1). */
const challengeOf = ({ code, details }: Fault, isProof: boolean): string => {
  if (details?.missing === true) return `Bearer realm="landfall", DPoP ${ALGORITHMS}`;
  return isProof ? `DPoP error="${code}", ${ALGORITHMS}` : `Bearer realm="landfall", error="${code}"`;
};

/** Challenge of the holder of a token (RFC 6750 3, RFC 9449 7.1): a client's password would be no help. */
const bearer: Dialect = {
  name: 'oauth',
  answer: (fault, requestId, now) => {
    const answer = oauth.answer(fault, requestId, now);
    const isProof = fault.code === 'invalid_dpop_proof' || fault.code === 'use_dpop_nonce';
    if (!isProof && fault.code !== 'invalid_token' && fault.code !== 'insufficient_scope') return answer;
    const challenge = challengeOf(fault, isProof);
    return {
      ...answer,
      status: isProof ? 401 : answer.status,
      headers: { ...answer.headers, 'www-authenticate': challenge },
    };
  },
};

const userInfo = (authority: Authority, method: 'GET' | 'POST'): Route => {
  const path = '/userinfo';
  return protocolRoute({
    ...(method === 'POST' ? post : get),
    path,
    dialect: bearer,
    authentication: ['bearer'],
    summary: 'Claims about the person of an access token (OpenID Connect Core 5.3).',
    schemas: schemas.userInfo,
    handle: async (request) => {
      const requestedUrl = { ...protocolRequest(request, path), method };
      const answer = async (): Promise<Answer> => json(200, await authority.userInfo(requestedUrl), NO_STORE);
      return requestedUrl.dpop === undefined ? answer() : withNonce(authority.dpopNonce(), answer());
    },
  });
};

/** Routes at {auth_url} (spec 4.1), and further endpoints of the protocols. */
export const endpointRoutes = (authority: Authority): Route[] => {
  const routeOf = ({ answer, ...endpoint }: Endpoint): Route =>
    protocolRoute({
      ...post,
      ...endpoint,
      handle: (request) => {
        const requestedUrl = protocolRequest(request, endpoint.path);
        return requestedUrl.dpop === undefined
          ? answer(requestedUrl)
          : withNonce(authority.dpopNonce(), answer(requestedUrl));
      },
    });
  /** Deprecated alias of an endpoint: same bytes, with deprecation headers. */
  const aliasOf = (successor: Endpoint): Route => ({
    ...routeOf({ ...successor, path: `/oauth${successor.path}` }),
    sunset: SUNSET,
    successor: successor.path,
  });
  const endpoints = endpointsOf(authority);
  return [
    ...endpoints.map(routeOf),
    keySet(authority, '/oauth/introspect'),
    keySet(authority, '/jwks'),
    ...endpoints.map(aliasOf),
    ...moreEndpointsOf(authority).map(routeOf),
    userInfo(authority, 'GET'),
    userInfo(authority, 'POST'),
    metadata(authority, '/.well-known/oauth-authorization-server'),
    metadata(authority, '/.well-known/openid-configuration'),
  ];
};
