import type { PublishedRoute } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import { hostileText, hostileValue, type Random } from './random.ts';

/** Request as sent over the network. */
export interface Sent {
  /** Route or field, for the report. */
  readonly name: string;
  readonly listener: 'web' | 'authority' | 'agents';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Known {
  /** Ids of existing entities. */
  readonly ids: readonly [string, ...string[]];
  /** Credentials for each listener. */
  readonly bearer: string;
  readonly basic: string;
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const first = <T>(items: readonly T[]): readonly [T, ...T[]] | undefined => {
  const [head, ...tail] = items;
  return head === undefined ? undefined : [head, ...tail];
};

const textFor = (schema: Json, random: Random, { ids }: Known): string => {
  if (schema.format === 'uuid') return random.one(ids);
  if (schema.format === 'date-time') return '2026-01-15T09:00:00.000Z';
  if (typeof schema.pattern === 'string' && schema.pattern.includes('sha256')) return `sha256:${'0'.repeat(64)}`;
  return random.one(['x', 'web', 'a@b.example', 'https://a.example/', 'openid', ...ids]);
};

/** Builds a value that fits a schema, sometimes with hostile parts. */
const valueFor = (schema: unknown, random: Random, known: Known): unknown => {
  if (random.once(4) || !isJson(schema)) return hostileValue(random);
  const words = first(listOf(schema.enum));
  if (words) return random.one(words);
  if ('const' in schema) return schema.const;
  const branches = first([...listOf(schema.anyOf), ...listOf(schema.allOf)]);
  if (branches) return valueFor(random.one(branches), random, known);
  if (schema.type === 'array')
    return Array.from({ length: random.below(3) }, () => valueFor(schema.items, random, known));
  if (schema.type === 'object') return objectOf(schema, random, known);
  if (schema.type === 'integer' || schema.type === 'number') return random.below(60);
  if (schema.type === 'boolean') return random.once(2);
  return textFor(schema, random, known);
};

const objectOf = (schema: Json, random: Random, known: Known): Json => {
  const properties = isJson(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(listOf(schema.required));
  const input = properties.filter(([name]) => (required.has(name) ? !random.once(12) : random.once(2)));
  const members = input.map(([name, property]) => [name, valueFor(property, random, known)] as const);
  const unknown = random.once(5) ? [[hostileText(random), hostileValue(random)] as const] : [];
  return Object.fromEntries([...members, ...unknown]);
};

/** Members of SCIM documents, whose schemas only SCIM publishes. */
const SCIM: Json = {
  type: 'object',
  properties: {
    schemas: { type: 'array', items: { enum: ['urn:ietf:params:scim:schemas:core:2.0:User'] } },
    userName: { type: 'string' },
    externalId: { type: 'string' },
    displayName: { type: 'string' },
    active: { type: 'boolean' },
    password: { type: 'string' },
    name: { type: 'object', properties: { givenName: { type: 'string' }, familyName: { type: 'string' } } },
    emails: {
      type: 'array',
      items: { type: 'object', properties: { value: { type: 'string' }, primary: { type: 'boolean' } } },
    },
    members: { type: 'array', items: { type: 'object', properties: { value: { type: 'string', format: 'uuid' } } } },
    Operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          op: { enum: ['add', 'Replace', 'remove', 'move'] },
          path: {
            enum: [
              'userName',
              'members',
              'emails[type eq "work"].value',
              'name.givenName',
              'members[value eq "x"]',
              'a[',
            ],
          },
          value: {},
        },
      },
    },
    filter: { enum: ['userName eq "x"', 'displayName co "', 'not (active eq true', 'members.value pr'] },
    startIndex: { type: 'integer' },
    count: { type: 'integer' },
    attributes: { type: 'array', items: { type: 'string' } },
  },
};

const FORM_FIELDS: readonly [string, ...string[]] = [
  'grant_type',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'username',
  'password',
  'device_code',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'scope',
  'resource',
  'audience',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'token',
  'token_type_hint',
  'response_type',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'claims',
  'request_uri',
  'id_token_hint',
  'post_logout_redirect_uri',
  'user_code',
  'service',
  'offline_token',
  'account',
  'passkey',
  'totp',
  'form',
];

const FORM_VALUES: readonly [string, ...string[]] = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:token-type:access_token',
  'code',
  'S256',
  'none',
  'login',
  'openid release:read',
  'repository:acme/web:pull',
  'registry.example',
];

const FILTERS: readonly string[] = [
  'filter',
  'startIndex',
  'count',
  'sortBy',
  'attributes',
  'limit',
  'cursor',
  'status',
];

const pairsOf = (random: Random, names: readonly [string, ...string[]], { ids }: Known): [string, string][] =>
  Array.from({ length: random.below(6) }, () => [
    random.once(8) ? hostileText(random) : random.one(names),
    random.once(3) ? hostileText(random) : random.one([...FORM_VALUES, ...ids]),
  ]);

/** Encodes text for a URL; an unpaired surrogate, which cannot be encoded, becomes the replacement character. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 12_000);

const queryOf = (route: PublishedRoute, random: Random, known: Known): string => {
  const schemas = isJson(route.schemas) ? route.schemas : {};
  const named = isJson(schemas.query) && isJson(schemas.query.properties) ? Object.keys(schemas.query.properties) : [];
  const names = first([...named, ...named, ...FILTERS, ...(isOnAuthority(route) ? FORM_FIELDS : [])]) ?? FORM_FIELDS;
  const pairs = random.once(3) ? [] : pairsOf(random, names, known);
  if (random.once(60)) return '?%zz&=&&a=%ff';
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`;
};

const pathOf = ({ path }: PublishedRoute, random: Random, { ids }: Known): string =>
  path
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':') && segment !== '*') return segment;
      return random.once(3) ? encoded(hostileText(random)).slice(0, 1_500) : random.one(ids);
    })
    .join('/');

/** Builds text that is printable in a header field (RFC 9110 5.5), with exceptions. */
const headerText = (random: Random): string =>
  hostileText(random)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 4_000);

const HEADERS: readonly [string, ...string[]] = [
  'idempotency-key',
  'if-match',
  'if-none-match',
  'accept',
  'accept-language',
  'accept-encoding',
  'x-svc-correlation-id',
  'x-tenant-id',
  'x-landfall-csrf',
  'x-landfall-envelope',
  'last-event-id',
  'dpop',
  'cookie',
  'origin',
  'range',
  'forwarded',
  'x-forwarded-for',
  'traceparent',
];

export const hostileHeaders = (random: Random): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: random.once(4) ? 1 + random.below(2) : 0 }, () => [random.one(HEADERS), headerText(random)]),
  );

const JSON_TYPES: readonly [string, ...string[]] = ['application/json', 'application/json; charset=utf-8'];

export const credentials = (random: Random, known: Known, isForm: boolean): Record<string, string> => {
  if (random.once(25)) return { authorization: headerText(random) };
  return random.once(40) ? {} : { authorization: isForm ? known.basic : known.bearer };
};

const bodyOf = (
  route: PublishedRoute,
  random: Random,
  known: Known,
): { readonly type: string; readonly text: string } => {
  if (random.once(30))
    return { type: random.one(['text/plain', 'application/xml', 'multipart/form-data', '']), text: 'x' };
  if (route.accepts === 'form') {
    const text = pairsOf(random, FORM_FIELDS, known)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&');
    return { type: 'application/x-www-form-urlencoded', text: random.once(40) ? '%zz=%ff&&=&a' : text };
  }
  const isScim = route.dialect === 'scim';
  const schemas = isJson(route.schemas) ? route.schemas : {};
  const text = random.once(40)
    ? random.one(['', '{', '[', 'nul', '"', '{"a":}', '\ufeff{}', `${'['.repeat(20_000)}`])
    : JSON.stringify(valueFor(isScim ? SCIM : schemas.body, random, known));
  return { type: isScim ? 'application/scim+json' : random.one(JSON_TYPES), text: text ?? '' };
};

const METHODS: readonly [string, ...string[]] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Builds a REST request, mostly well-formed. */
export const restRequest = (route: PublishedRoute, random: Random, known: Known): Sent => {
  const method = random.once(40) ? random.one(METHODS) : route.method;
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const body = hasBody ? bodyOf(route, random, known) : undefined;
  return {
    name: `${route.method} ${route.path}`,
    listener: isOnAuthority(route) ? 'authority' : 'web',
    method,
    path: pathOf(route, random, known) + queryOf(route, random, known),
    headers: {
      ...hostileHeaders(random),
      ...credentials(random, known, isOnAuthority(route) && route.path !== '/userinfo'),
      ...(body && body.type !== '' && { 'content-type': body.type }),
    },
    ...(body && { body: body.text }),
  };
};

const AGENT_PATHS: readonly [string, ...string[]] = [
  '/agent/v1/register',
  '/agent/v1/certificate',
  '/agent/v1/heartbeat',
  '/agent/v1/report',
  '/agent/v1/log',
];

const AGENT: Json = {
  type: 'object',
  properties: {
    token: { type: 'string' },
    csr: { type: 'string' },
    name: { type: 'string' },
    version: { type: 'string' },
    capabilities: { type: 'object' },
    hostFacts: { type: 'object' },
    clock: { type: 'string', format: 'date-time' },
    held: { type: 'array', items: { type: 'object' } },
    observed: { type: 'array', items: { type: 'object' } },
    taskId: { type: 'string', format: 'uuid' },
    fence: { type: 'integer' },
    seq: { type: 'integer' },
    report: { type: 'object' },
    lines: { type: 'array', items: { type: 'object' } },
  },
};

/** Path of the poll, which waits for a task if it is valid, so that it is sent rarely. */
const POLL = '/agent/v1/poll';

/** Builds a request of a registered agent to the agents' listener. */
export const agentRequest = (random: Random, known: Known): Sent => {
  const path = random.once(100) ? POLL : random.one(AGENT_PATHS);
  return {
    name: path,
    listener: 'agents',
    method: random.once(40) ? random.one(METHODS) : 'POST',
    path,
    headers: { ...hostileHeaders(random), 'content-type': 'application/json' },
    body: JSON.stringify(valueFor(AGENT, random, known)) ?? '',
  };
};
