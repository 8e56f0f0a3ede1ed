import { STATUS_CODES } from 'node:http';
import type { PublishedRoute } from './published.ts';
import { isOnAuthority } from './route-listener.ts';

/** Title, version and server of a document. */
interface DocumentOptions {
  readonly title: string;
  readonly version: string;
  /** The public address of the listener that serves the routes. */
  readonly server: string;
}

type Json = Readonly<Record<string, unknown>>;

const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: '*/*',
  stream: '*/*',
} as const;

/** Media type of errors, by the dialect's name. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  problem: 'application/problem+json',
  registry: 'application/problem+json',
  scim: 'application/scim+json',
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasOf = ({ schemas }: PublishedRoute): Json => (isObject(schemas) ? schemas : {});

/** `/things/:id` in the words of the standard. */
const pathOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const parametersIn = (location: 'path' | 'query', schema: unknown): readonly Json[] => {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required: unknown = schema.required;
  return Object.entries(schema.properties).map(([name, each]) => ({
    name,
    in: location,
    required: location === 'path' || (Array.isArray(required) && required.includes(name)),
    schema: each,
  }));
};

/** A path parameter that a route declares no schema for is text. */
const pathParameters = (route: PublishedRoute): readonly Json[] => {
  const declared = parametersIn('path', schemasOf(route).params);
  const names = new Set(declared.map(({ name }) => name));
  const rest = [...route.path.matchAll(/:(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !names.has(name))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  return [...declared, ...rest];
};

const responsesOf = (route: PublishedRoute): Json => {
  const { response } = schemasOf(route);
  const declared = isObject(response) ? response : {};
  const entries = Object.entries(declared).map(([status, schema]) => {
    const isEmpty = isObject(schema) && schema.type === 'null';
    const type = Number(status) < 400 ? 'application/json' : (ERROR_TYPES[route.dialect] ?? 'application/json');
    return [
      status,
      { description: STATUS_CODES[status] ?? 'Answer', ...(!isEmpty && { content: { [type]: { schema } } }) },
    ] as const;
  });
  return entries.length === 0 ? { default: { description: 'Answer' } } : Object.fromEntries(entries);
};

/** `POST /oauth/token` as a name that generators of clients make a function of. */
const operationId = ({ method, path }: PublishedRoute): string =>
  [method.toLowerCase(), ...path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')].join('_');

/**
 * Security schemes of client authentication: by header or certificate. OpenAPI cannot express credentials in a form.
 */
const clientSecurity = (methods: readonly string[]): Json => ({
  security: [{ clientBasic: [] }, { clientCertificate: [] }, {}],
  description: `The client authenticates by one of ${methods.join(', ')} (RFC 8414 2): as Basic, by its certificate, or with client_id and client_secret in the form; a public client (none) sends client_id alone.`,
  'x-client-authentication': methods,
});

/** Security of a route: by a bearer token with any one of its scopes, as a client, or not at all. */
const securityOf = ({ authentication, operation, isPublic, scope }: PublishedRoute): Json => {
  const methods = authentication ?? (operation === null || isPublic ? ['none'] : ['bearer']);
  if (methods.includes('client_secret_basic')) return clientSecurity(methods);
  if (!methods.includes('bearer')) return { security: [] };
  return { security: scope.length === 0 ? [{ bearer: [] }] : scope.map((one) => ({ bearer: [one] })) };
};

const operationOf = (route: PublishedRoute): Json => {
  const { body, query } = schemasOf(route);
  const parameters = [...pathParameters(route), ...parametersIn('query', query)];
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.module],
    ...(route.sunset !== undefined && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { content: { [MEDIA_TYPES[route.accepts]]: { schema: body } } } }),
    responses: responsesOf(route),
    ...securityOf(route),
    ...(route.codes.length > 0 && { 'x-error-codes': route.codes }),
  };
};

const SCHEMES: Readonly<Record<string, Json>> = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  clientBasic: { type: 'http', scheme: 'basic', description: 'The client’s id and secret (RFC 6749 2.3.1).' },
  clientCertificate: { type: 'mutualTLS', description: 'The client’s certificate (RFC 8705 2).' },
};

/** The schemes that some operation names. */
const usedSchemes = (paths: Readonly<Record<string, Readonly<Record<string, Json>>>>): Json => {
  const named = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ security }) => (Array.isArray(security) ? security.flatMap((one) => Object.keys(one)) : []));
  return Object.fromEntries(Object.entries(SCHEMES).filter(([name]) => named.includes(name)));
};

/** OpenAPI 3.1.0 of routes: the same JSON Schemas that the routes are tested against. */
const openapi = (routes: readonly PublishedRoute[], { title, version, server }: DocumentOptions): Json => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = pathOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    paths,
    components: { securitySchemes: usedSchemes(paths) },
  };
};

/** Version of the authority's interface (spec 9). */
const AUTHORITY_VERSION = '0.1.0';

/** Authority paths in the specification (4.1); pages and metadata are outside the versioned API. */
const AUTHORITY_PATHS = ['/token', '/introspect', '/revoke', '/oauth/introspect', '/oauth/revoke', '/oauth/token'];

/** The authority's interface: seven operations (spec 9). */
export const authorityDocument = (routes: readonly PublishedRoute[], server: string): Json =>
  openapi(
    routes.filter(({ module, path }) => module === 'authority' && AUTHORITY_PATHS.includes(path)),
    { title: 'Landfall authority', version: AUTHORITY_VERSION, server },
  );

/** Every REST path on the web listener. */
export const platformDocument = (routes: readonly PublishedRoute[], options: Omit<DocumentOptions, 'title'>): Json =>
  openapi(
    routes.filter((route) => !isOnAuthority(route)),
    { title: 'Landfall', ...options },
  );
