import type { RouteSchemas } from '@landfall/kernel/routes/route';
import Type from 'typebox';

// Bodies and answers of the protocol's endpoints, for schema/rest.json and OpenAPI.

const text = Type.String();
const optional = Type.Optional(text);
const count = Type.Integer();

const error = Type.Object({ error: text, error_description: text });
const answers = (ok: RouteSchemas['response'][number]) => ({ 200: ok, 400: error, 401: error });

/** RFC 6749 2.3.1: in the form, unless they are in the Authorization header. */
const credentials = { client_id: optional, client_secret: optional };
/** RFC 8707 2: as often as there are audiences. */
const resource = Type.Optional(Type.Union([text, Type.Array(text)]));

export const token: RouteSchemas = {
  body: Type.Object({
    grant_type: text,
    code: optional,
    redirect_uri: optional,
    code_verifier: optional,
    refresh_token: optional,
    device_code: optional,
    username: optional,
    password: optional,
    subject_token: optional,
    subject_token_type: optional,
    actor_token: optional,
    actor_token_type: optional,
    requested_token_type: optional,
    audience: resource,
    resource,
    scope: optional,
    ...credentials,
  }),
  response: answers(
    Type.Object({
      access_token: text,
      token_type: text,
      expires_in: count,
      scope: text,
      refresh_token: optional,
      id_token: optional,
      issued_token_type: optional,
    }),
  ),
};

const tokenForm = Type.Object({ token: text, token_type_hint: optional, ...credentials });

export const introspect: RouteSchemas = {
  body: tokenForm,
  response: answers(
    Type.Object({
      active: Type.Boolean(),
      scope: optional,
      client_id: optional,
      token_type: optional,
      exp: Type.Optional(count),
      iat: Type.Optional(count),
      sub: optional,
      aud: resource,
      iss: optional,
      jti: optional,
      username: optional,
      cnf: Type.Optional(Type.Object({ jkt: optional, 'x5t#S256': optional })),
      'svc:tenant': optional,
    }),
  ),
};

export const revoke: RouteSchemas = { body: tokenForm, response: answers(Type.Null()) };

export const pushedRequest: RouteSchemas = {
  body: Type.Object({
    response_type: text,
    redirect_uri: text,
    code_challenge: text,
    code_challenge_method: text,
    scope: optional,
    state: optional,
    nonce: optional,
    prompt: optional,
    max_age: optional,
    login_hint: optional,
    id_token_hint: optional,
    dpop_jkt: optional,
    resource,
    ...credentials,
  }),
  response: { 201: Type.Object({ request_uri: text, expires_in: count }), 400: error, 401: error },
};

export const deviceAuthorization: RouteSchemas = {
  body: Type.Object({ scope: optional, resource, ...credentials }),
  response: answers(
    Type.Object({
      device_code: text,
      user_code: text,
      verification_uri: text,
      verification_uri_complete: text,
      expires_in: count,
      interval: count,
    }),
  ),
};

export const userInfo: RouteSchemas = {
  response: {
    200: Type.Object({
      sub: text,
      preferred_username: optional,
      name: optional,
      email: optional,
      email_verified: Type.Optional(Type.Boolean()),
      groups: Type.Optional(Type.Array(text)),
    }),
    401: error,
    403: error,
  },
};

export const keySet: RouteSchemas = {
  response: {
    200: Type.Object({
      keys: Type.Array(Type.Object({ kty: text, crv: text, x: text, y: text, kid: text, use: text, alg: text })),
    }),
  },
};
