import type { Authority, BrowserAnswer, BrowserRequest, ProtocolRequest } from '@landfall/authority';
import { sha256Hex } from '@landfall/kernel/digest';
import { oauth } from '@landfall/kernel/http/dialects/oauth';
import {
  type Answer,
  json,
  protocolRoute,
  type Route,
  type RouteRequest,
  type RouteSchemas,
} from '@landfall/kernel/http/route';
import Type, { type TProperties } from 'typebox';

const text = Type.String();
const optional = Type.Optional(text);

const error = Type.Object({ error: text, error_description: text });
const answers = (ok: RouteSchemas['response'][number]) => ({ 200: ok, 400: error, 401: error });

/** RFC 6749 2.3.1: in the form, unless they are in the Authorization header. */
const credentials = { client_id: optional, client_secret: optional };

const tokenSchemas: RouteSchemas = {
  body: Type.Object({
    grant_type: text,
    code: optional,
    redirect_uri: optional,
    code_verifier: optional,
    refresh_token: optional,
    scope: optional,
    ...credentials,
  }),
  response: answers(
    Type.Object({
      access_token: text,
      token_type: text,
      expires_in: Type.Integer(),
      scope: text,
      refresh_token: optional,
      id_token: optional,
    }),
  ),
};

const tokenForm = Type.Object({ token: text, token_type_hint: optional, ...credentials });

const introspectSchemas: RouteSchemas = {
  body: tokenForm,
  response: answers(
    Type.Object({
      active: Type.Boolean(),
      scope: optional,
      client_id: optional,
      token_type: optional,
      exp: Type.Optional(Type.Integer()),
      iat: Type.Optional(Type.Integer()),
      sub: optional,
      aud: optional,
      iss: optional,
      jti: optional,
      username: optional,
      'svc:tenant': optional,
    }),
  ),
};

const revokeSchemas: RouteSchemas = { body: tokenForm, response: answers(Type.Null()) };

const jwksSchemas: RouteSchemas = {
  response: {
    200: Type.Object({
      keys: Type.Array(Type.Object({ kty: text, crv: text, x: text, y: text, kid: text, use: text, alg: text })),
    }),
  },
};

const NO_STORE = { 'cache-control': 'no-store' };
/** Of a token endpoint's answers (RFC 6749 5.1). */
const PRIVATE = { ...NO_STORE, pragma: 'no-cache' };
const SUNSET = 'Fri, 01 May 2026 00:00:00 GMT';

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

const browserRequest = ({ query, body, headers, address, requestId }: RouteRequest): BrowserRequest => ({
  query,
  body,
  cookie: typeof headers.cookie === 'string' ? headers.cookie : undefined,
  address,
  requestId,
  userAgent: typeof headers['user-agent'] === 'string' ? headers['user-agent'] : undefined,
});

const common = { module: 'authority', dialect: oauth } as const;
const post = { ...common, method: 'POST', accepts: 'form', bodyLimit: 64 * 1024 } as const;
const get = { ...common, method: 'GET' } as const;

interface Endpoint {
  readonly path: string;
  readonly summary: string;
  readonly schemas: RouteSchemas;
  answer(request: ProtocolRequest): Promise<Answer>;
}

/** An endpoint of the protocols, for clients that prove who they are. */
const endpoint = ({ answer, ...said }: Endpoint): Route =>
  protocolRoute({ ...post, ...said, handle: (request) => answer(protocolRequest(request, said.path)) });

/** Under an older path: the same bytes, with the headers that say so. */
const alias = (successor: Endpoint, path: string): Route => ({
  ...endpoint({ ...successor, path }),
  sunset: SUNSET,
  successor: successor.path,
});

const keySet = (authority: Authority, path: string): Route =>
  protocolRoute({
    ...get,
    path,
    summary: 'The keys that verify issued tokens.',
    schemas: jwksSchemas,
    handle: async ({ headers }) => {
      const body = JSON.stringify(await authority.keys.jwks());
      const etag = `"${sha256Hex(body).slice(0, 32)}"`;
      const cached = { etag, 'cache-control': 'public, max-age=300' };
      if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
      return { status: 200, headers: { 'content-type': 'application/json', ...cached }, body };
    },
  });

const metadata = (authority: Authority, path: string): Route =>
  protocolRoute({
    ...get,
    path,
    summary: 'What this authority offers (RFC 8414, OpenID Connect Discovery).',
    schemas: { response: { 200: Type.Object({ issuer: text }) } },
    handle: async () => json(200, authority.metadata, { 'cache-control': 'public, max-age=300' }),
  });

interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly answer: (request: BrowserRequest) => Promise<BrowserAnswer>;
}

const browserRoute = ({ method, path, summary, query, body, answer }: Page): Route =>
  protocolRoute({
    ...(method === 'POST' ? post : get),
    path,
    summary,
    schemas: {
      ...(query && { query: Type.Object(query) }),
      ...(body && { body: Type.Object(body) }),
      response: { 200: text, 303: Type.Null(), 400: text },
    },
    handle: async (request) => answer(browserRequest(request)),
  });

const authorizationQuery = {
  response_type: text,
  client_id: text,
  redirect_uri: text,
  code_challenge: text,
  code_challenge_method: text,
  scope: optional,
  state: optional,
  nonce: optional,
  prompt: optional,
  max_age: optional,
};
const endSessionQuery = { id_token_hint: optional, post_logout_redirect_uri: optional, state: optional };

const pages = ({ pages: { signIn, signOut } }: Authority): Route[] =>
  [
    {
      method: 'GET' as const,
      path: '/authorize',
      summary: 'An authorization code, or the sign-in page (RFC 6749 4.1, RFC 7636).',
      query: authorizationQuery,
      answer: signIn.authorize,
    },
    {
      method: 'GET' as const,
      path: '/sign-in',
      summary: 'The sign-in page again, when it is reloaded.',
      query: authorizationQuery,
      answer: signIn.authorize,
    },
    {
      method: 'POST' as const,
      path: '/sign-in',
      summary: 'The form of the sign-in page.',
      query: authorizationQuery,
      body: { username: text, password: text, csrf: text },
      answer: signIn.submit,
    },
    {
      method: 'GET' as const,
      path: '/end-session',
      summary: 'Signs out (OpenID Connect RP-Initiated Logout).',
      query: endSessionQuery,
      answer: signOut.ask,
    },
    {
      method: 'POST' as const,
      path: '/end-session',
      summary: 'The form of the sign-out page.',
      body: { csrf: text },
      answer: signOut.confirm,
    },
  ].map(browserRoute);

/** {auth_url} (spec 4.1), its metadata and its pages. */
export const authorityRoutes = (authority: Authority): Route[] => {
  const token: Endpoint = {
    path: '/token',
    summary: 'Issues tokens.',
    schemas: tokenSchemas,
    answer: async (request) => json(200, await authority.token(request), PRIVATE),
  };
  const introspect: Endpoint = {
    path: '/introspect',
    summary: 'Says what a token is worth.',
    schemas: introspectSchemas,
    answer: async (request) => json(200, await authority.introspect(request), NO_STORE),
  };
  const revoke: Endpoint = {
    path: '/revoke',
    summary: 'Revokes a token.',
    schemas: revokeSchemas,
    answer: async (request) => {
      await authority.revoke(request);
      return { status: 200, headers: NO_STORE };
    },
  };

  return [
    ...[token, introspect, revoke].map(endpoint),
    keySet(authority, '/oauth/introspect'),
    keySet(authority, '/jwks'),
    alias(token, '/oauth/token'),
    alias(introspect, '/oauth/introspect'),
    alias(revoke, '/oauth/revoke'),
    metadata(authority, '/.well-known/oauth-authorization-server'),
    metadata(authority, '/.well-known/openid-configuration'),
    ...pages(authority),
  ];
};
