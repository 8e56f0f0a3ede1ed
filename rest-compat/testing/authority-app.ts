import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ClientSeed, createAuthority } from '@landfall/authority';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type Shape, table } from '@landfall/kernel/db/table';
import { readRequestHeaders } from '@landfall/kernel/http/request-headers';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import { createEdge } from '@landfall/kernel/identity/edge';
import { createKeys } from '@landfall/kernel/identity/keys';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import type { ResolveTxt } from '@landfall/kernel/system/dns';
import { testDeps } from '@landfall/kernel/testing/app';
import Fastify from 'fastify';
import { authorityRoutes } from '../routes/authority.ts';
import { actionOf, cookieJar, hidden } from './browser.ts';

export const CALLBACK = 'https://app.example/callback?kept=1';
const HOME = 'https://app.example/';
export const PASSWORD = 'correct horse battery staple';
const NO_TOKENS: Readonly<Record<string, unknown>> = {};

type Form = Readonly<Record<string, string>> | string;

/** A client's id and secret, as Basic credentials (RFC 6749 2.3.1). */
export const basic = ({ id, secret }: { readonly id: string; readonly secret: string }): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** A PKCE pair (RFC 7636). */
export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/**
 * The authority on a listener of its own, with people and clients of two tenants.
 * @param host as its issuer names it: passkeys need `localhost`
 */
interface AppOptions {
  readonly host?: string;
  /** TXT records of domains; without it no domain has any. */
  readonly resolveTxt?: ResolveTxt;
}

const noRecords: ResolveTxt = async () => ({ kind: 'records', records: [] });

export const authorityApp = async ({ host = '127.0.0.1', resolveTxt = noRecords }: AppOptions = {}) => {
  const base = await testDeps();
  const { deps } = base;
  // The issuer is the listener's own address, so the listener comes first.
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://${host}:${typeof address === 'object' && address ? address.port : 0}`;
  const authority = createAuthority(
    deps,
    {
      issuer: origin,
      baseUrl: 'http://127.0.0.1:4000',
      audience: 'landfall',
      accessTokenMs: 900_000,
      codeMs: 60_000,
      deviceCodeMs: 600_000,
      devicePollMs: 5_000,
      requiresDpopNonce: false,
      hasMutualTls: false,
      refreshIdleMs: 30 * 86_400_000,
      sessionMs: 86_400_000,
      version: '0.1.0',
    },
    { resolveTxt },
  );

  const bugs: unknown[] = [];
  const app = Fastify({ genReqId: () => deps.ids.uuid(), serverFactory: (handler) => server.on('request', handler) });
  await registerRoutes(app, authorityRoutes(authority), {
    clock: deps.clock,
    ids: deps.ids,
    onBug: (error) => bugs.push(error),
    callerOf: async () => {
      throw new Fault('AUTH_TOKEN_MISSING', 'The authority’s routes know no bearer.');
    },
  });
  await app.ready();

  const { bootstrap } = authority;
  for (const tenant of ['landfall', 'acme', 'globex']) await bootstrap.ensureTenant({ tenant, name: tenant });
  const person = (tenant: string, username: string, roles: ('admin' | 'viewer' | 'approver')[]) =>
    bootstrap.ensureUser({ tenant, username, displayName: `${username} of ${tenant}`, password: PASSWORD, roles });
  const client = async (tenant: string, name: string, overrides: Partial<ClientSeed>) => {
    const secret = randomBytes(32).toString('base64url');
    const client: ClientSeed = { tenant, name, secret, grants: ['client_credentials'], scopes: ['orch:read'] };
    return { id: await bootstrap.ensureClient({ ...client, ...overrides }), secret };
  };
  const code = {
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'offline_access', 'orch:read', 'orch:approve', 'authority:admin'],
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [HOME],
  } satisfies Partial<ClientSeed>;
  const people = {
    ada: await person('acme', 'ada', ['admin']),
    vic: await person('acme', 'vic', ['viewer']),
    gil: await person('globex', 'gil', ['admin']),
  };
  const clients = {
    console: await client('landfall', 'console', { ...code, servesEveryTenant: true }),
    acmeApp: await client('acme', 'app', code),
    ci: await client('acme', 'ci', { scopes: ['orch:read', 'orch:operate', 'offline_access'] }),
    introspector: await client('acme', 'introspector', { canIntrospect: true }),
    foreignIntrospector: await client('globex', 'introspector', { canIntrospect: true }),
  };

  const post = async (path: string, form: Form, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : String(new URLSearchParams({ ...form })),
    });
    const body = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const parsed: Readonly<Record<string, unknown>> = isJson ? JSON.parse(body) : NO_TOKENS;
    return { status: response.status, headers: response.headers, text: body, body: parsed };
  };

  const authorizeUrl = (parameters: Readonly<Record<string, string | undefined>> = {}): string => {
    const url = new URL('/authorize', origin);
    const all: Readonly<Record<string, string | undefined>> = {
      response_type: 'code',
      client_id: clients.console.id,
      redirect_uri: CALLBACK,
      scope: 'openid profile offline_access orch:read orch:approve',
      state: 'st',
      code_challenge_method: 'S256',
      ...parameters,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  };

  const get = async (url: string, jar = cookieJar()) => {
    const response = await fetch(new URL(url, origin), { redirect: 'manual', headers: { cookie: jar.header() } });
    jar.storeCookies(response);
    return response;
  };

  /** Fills in the page that a browser was shown. */
  const submit = async (page: string, jar: ReturnType<typeof cookieJar>, pair: Readonly<Record<string, string>>) => {
    const response = await fetch(origin + actionOf(page), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: jar.header(), 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ csrf: hidden(page, 'csrf'), ...pair })),
    });
    jar.storeCookies(response);
    return response;
  };

  /** A code for `username`, from the page to the redirect. */
  const signIn = async (
    username: string,
    { jar = cookieJar(), ...parameters }: { jar?: ReturnType<typeof cookieJar> } & Record<string, unknown> = {},
  ) => {
    const { verifier, challenge } = pkce();
    const strings = Object.fromEntries(
      Object.entries(parameters).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const page = await get(authorizeUrl({ code_challenge: challenge, ...strings }), jar);
    const answered = await submit(await page.text(), jar, { username, password: PASSWORD });
    const location = new URL(answered.headers.get('location') ?? 'missing:');
    return { jar, verifier, location, code: location.searchParams.get('code') ?? '' };
  };

  const exchange = (
    { code, verifier }: { code: string; verifier: string },
    as = clients.console,
    overrides: Readonly<Record<string, string>> = {},
  ) =>
    post(
      '/token',
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier, ...overrides },
      { authorization: basic(as) },
    );

  const refresh = (token: unknown, as = clients.console, overrides: Readonly<Record<string, string>> = {}) =>
    post(
      '/token',
      { grant_type: 'refresh_token', refresh_token: String(token), ...overrides },
      { authorization: basic(as) },
    );

  const introspect = async (token: unknown, as = clients.introspector) =>
    (await post('/introspect', { token: String(token) }, { authorization: basic(as) })).body;

  const keys = createKeys(async () => (await authority.keys.jwks()).keys, { clock: deps.clock });
  const edge = createEdge({
    issuer: origin,
    audience: 'landfall',
    keys,
    clock: deps.clock,
    isRevoked: (names) => deps.database.system.read((query) => isRevoked(query, names)),
  });
  const requestHeaders = readRequestHeaders({ headers: {}, rawHeaders: [] }, deps.ids);

  const types = table('kernel.events', { type: text });

  return {
    ...base,
    origin,
    authority,
    people,
    clients,
    bugs,
    post,
    get,
    authorizeUrl,
    submit,
    signIn,
    exchange,
    refresh,
    introspect,
    callerOf: (token: unknown) => edge.callerOf(String(token), requestHeaders, { fresh: true }),
    rows: <R>(shape: Shape<R>, statement: Sql, tenant = 'acme'): Promise<R[]> =>
      deps.database.read(toTenantId(tenant), (query) => query.list(shape, statement)),
    /** The types of the tenant's events, oldest first. */
    events: async (tenant = 'acme'): Promise<string[]> => {
      const rows = await deps.database.read(toTenantId(tenant), (query) =>
        query.list(types, sql`select type from kernel.events where tenant = ${tenant} order by xid, id`),
      );
      return rows.map(({ type }) => type);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      server.closeAllConnections();
      server.close();
      await base[Symbol.asyncDispose]();
    },
  };
};

export type AuthorityApp = Awaited<ReturnType<typeof authorityApp>>;
