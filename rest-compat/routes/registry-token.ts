import { registry } from '@landfall/kernel/routes/dialects/registry';
import {
  type Answer,
  json,
  protocolRoute,
  type Route,
  type RouteRequest,
  type RouteSchemas,
} from '@landfall/kernel/routes/route';
import type { IssuedToken, RegistryTokens, TokenRequest } from '@landfall/registry-token';
import Type from 'typebox';

const text = Type.String();
const optional = Type.Optional(text);

const problem = Type.Object({
  type: text,
  title: text,
  status: Type.Integer(),
  detail: text,
  error: text,
  errors: Type.Array(Type.Object({ code: text, message: text })),
});
const refusals = { 400: problem, 401: problem, 403: problem };

const request = { service: text, scope: Type.Optional(Type.Union([text, Type.Array(text)])) };
const token = { token: text, expires_in: Type.Integer(), issued_at: text };

const getSchemas: RouteSchemas = {
  query: Type.Object(request),
  response: { 200: Type.Object(token), ...refusals },
};

const postSchemas: RouteSchemas = {
  body: Type.Object({
    grant_type: optional,
    refresh_token: optional,
    password: optional,
    username: optional,
    client_id: optional,
    access_type: optional,
    ...request,
  }),
  response: { 200: Type.Object({ ...token, access_token: text }), ...refusals },
};

/** Headers that forbid caching: the answer is for one client only. */
const PRIVATE = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** An access token and a hundred scopes of the longest kind. */
const MAX_FORM_LENGTH = 64 * 1024;

/** RFC 3339 in whole seconds, as registries' clients read it. */
const second = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const tokenView = ({ token, expiresIn, issuedAt }: IssuedToken) => ({
  token,
  expires_in: expiresIn,
  issued_at: second(issuedAt),
});

const answerWith = (body: object, { nonce }: IssuedToken): Answer =>
  json(200, body, { ...PRIVATE, ...(nonce !== undefined && { 'dpop-nonce': nonce }) });

type Parameters = TokenRequest['parameters'];

/** The form as the framework read it; anything else holds no parameters. */
const formOf = (body: unknown): Parameters => {
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string | string[]] => typeof entry[1] === 'string' || Array.isArray(entry[1]),
    ),
  );
};

const requestOf = (request: RouteRequest, method: TokenRequest['method'], parameters: Parameters): TokenRequest => ({
  method,
  parameters,
  authorization: request.headers.authorization,
  dpop: request.headers.dpop,
  certificate: request.certificate,
  requestId: request.requestId,
});

/**
 * Routes of the realm, GET and POST (spec 4.2), on {base_url}; the authority's /token is another one, on {auth_url}.
 */
export const registryTokenRoutes = ({ issue }: RegistryTokens): Route[] => [
  protocolRoute({
    method: 'GET',
    path: '/token',
    module: 'registry-token',
    dialect: registry,
    hasNoHead: true,
    knowsCallers: true,
    authentication: ['bearer'],
    summary: 'A token for a container registry, for who proves to hold the access token.',
    schemas: getSchemas,
    handle: async (request) => {
      const issued = await issue(requestOf(request, 'GET', request.query));
      return answerWith(tokenView(issued), issued);
    },
  }),
  protocolRoute({
    method: 'POST',
    path: '/token',
    module: 'registry-token',
    dialect: registry,
    accepts: 'form',
    bodyLimit: MAX_FORM_LENGTH,
    knowsCallers: true,
    authentication: ['bearer'],
    summary: 'The same for clients that send a form, as docker, containers, crane and oras do.',
    schemas: postSchemas,
    handle: async (request) => {
      const issued = await issue(requestOf(request, 'POST', formOf(request.body)));
      return answerWith({ ...tokenView(issued), access_token: issued.token }, issued);
    },
  }),
];
