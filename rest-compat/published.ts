import { readFileSync } from 'node:fs';
import type { Route } from '@landfall/kernel/routes/route';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

/** Route in the form of schema/rest.json. */
const publishedRoute = Type.Object({
  method: Type.Union([
    Type.Literal('GET'),
    Type.Literal('POST'),
    Type.Literal('PUT'),
    Type.Literal('PATCH'),
    Type.Literal('DELETE'),
  ]),
  path: Type.String(),
  module: Type.String(),
  summary: Type.String(),
  /** The operation behind it, or null for a route of a protocol. */
  operation: Type.Union([Type.String(), Type.Null()]),
  /** Accepted scopes, any one of which suffices; none where the protocol authenticates in its own way. */
  scope: Type.Array(Type.String()),
  accepts: Type.Union([Type.Literal('json'), Type.Literal('form'), Type.Literal('text'), Type.Literal('stream')]),
  dialect: Type.String(),
  /** Error codes of the route itself. */
  codes: Type.Array(Type.String()),
  /** Whether the route needs no credentials. */
  isPublic: Type.Optional(Type.Literal(true)),
  /** Authentication where it is not the default: a bearer token before an operation, nothing elsewhere. */
  authentication: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Literal('bearer'),
        Type.Literal('client_secret_basic'),
        Type.Literal('client_secret_post'),
        Type.Literal('tls_client_auth'),
        Type.Literal('self_signed_tls_client_auth'),
        Type.Literal('none'),
      ]),
    ),
  ),
  /** A GET that does something: it has no HEAD. */
  hasNoHead: Type.Optional(Type.Literal(true)),
  /** Whether the module itself authenticates callers, so that a proxy forwards credentials unchanged. */
  knowsCallers: Type.Optional(Type.Literal(true)),
  bodyLimit: Type.Optional(Type.Integer()),
  /** Cost of a request to its caller's budget. */
  cost: Type.Optional(Type.Integer()),
  sunset: Type.Optional(Type.String()),
  successor: Type.Optional(Type.String()),
  schemas: Type.Unknown(),
});

export type PublishedRoute = Static<typeof publishedRoute>;

const file = Type.Object({ routes: Type.Array(publishedRoute) });

export const published = ({ operation, dialect, ...route }: Route): PublishedRoute => ({
  method: route.method,
  path: route.path,
  module: route.module,
  summary: route.summary,
  operation: operation?.name ?? null,
  scope: [...(operation?.scope ?? [])],
  accepts: route.accepts ?? 'json',
  dialect: dialect.name,
  codes: [...(operation?.raises ?? [])],
  ...(route.isPublic && { isPublic: route.isPublic }),
  ...(route.knowsCallers && { knowsCallers: route.knowsCallers }),
  ...(route.authentication && { authentication: [...route.authentication] }),
  ...(route.hasNoHead && { hasNoHead: route.hasNoHead }),
  ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
  ...(route.cost !== undefined && { cost: route.cost }),
  ...(route.sunset !== undefined && { sunset: route.sunset }),
  ...(route.successor !== undefined && { successor: route.successor }),
  schemas: route.schemas,
});

/** The routes of schema/rest.json: all that a process knows of the modules it does not host. */
export const publishedRoutes = (): readonly PublishedRoute[] => {
  const text = readFileSync(new URL('../schema/rest.json', import.meta.url), 'utf8');
  return Value.Parse(file, JSON.parse(text)).routes;
};
