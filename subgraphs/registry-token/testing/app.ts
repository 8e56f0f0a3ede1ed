import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Clock } from '@landfall/kernel/core/clock';
import { formatGraphError } from '@landfall/kernel/graph/subgraph';
import { createDpop } from '@landfall/kernel/identity/dpop';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import type { Route } from '@landfall/kernel/routes/route';
import { createLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { testDeps } from '@landfall/kernel/testing/app';
import { type Person, people } from '@landfall/kernel/testing/callers';
import Fastify from 'fastify';
import { graphql } from 'graphql';
import { createRegistryToken, type RegistryTokens, type TokenRequest } from '../index.ts';
import { testAuthority, testHolder } from './keys.ts';
import { PLANS, testSettings } from './settings.ts';

const ISSUER = 'http://authority.example';
export const SERVICE = 'registry.example';

interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly accessToken?: string;
  readonly scope?: string | readonly string[];
  readonly service?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The form of POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly proof?: string;
}

const many = (value: string | readonly string[] | undefined): readonly string[] => [value ?? []].flat();

/**
 * Starts the service on its own listener with a real database, and an authority that signs test tokens.
 * @param routes factory of its routes, from rest-compat
 */
export const registryApp = async (
  routes: (module: RegistryTokens) => readonly Route[],
  env: Readonly<Record<string, string>> = {},
  { clock: overrides, tls }: { readonly clock?: Clock; readonly tls?: ServerOptions } = {},
) => {
  const base = await testDeps();
  const clock = overrides ?? base.clock;
  const deps = { ...base.deps, clock };
  const server = tls ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }) : createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const realm = `${origin}/token`;
  const authority = testAuthority(clock, ISSUER);
  const holder = testHolder(clock);
  const settingsOf = (overrides: Readonly<Record<string, string>>) =>
    testSettings({ ...PLANS, REGISTRY_TOKEN_REGISTRY__REALM: realm, ...env, ...overrides });
  const settings = settingsOf({});
  const telemetry = createTelemetry(createLog({ level: 'silent' }));
  const createTokens = (overrides: Readonly<Record<string, string>> = {}): RegistryTokens =>
    createRegistryToken(deps, settingsOf(overrides), {
      keys: authority.keys,
      dpop: createDpop(deps, { requiresNonce: false }),
      meter: telemetry.meter('registry-token'),
    });
  const module = createTokens();
  const bugs: unknown[] = [];
  const app = Fastify({ genReqId: () => randomUUID(), serverFactory: (handler) => server.on('request', handler) });
  let served = module;
  const latest = { ...module, issue: (request: TokenRequest) => served.issue(request) };
  await registerRoutes(app, routes(latest), {
    clock,
    ids: deps.ids,
    onBug: (error) => bugs.push(error),
    callerOf: () => Promise.reject(new TypeError('the realm asked who calls')),
  });
  await app.ready();

  const bound = (claims: Readonly<Record<string, unknown>> = {}): string =>
    authority.accessToken({ cnf: { jkt: holder.jkt }, ...claims });

  const ask = async (request: Ask = {}) => {
    const { method = 'GET', accessToken = bound(), scope, service = SERVICE, headers, form } = request;
    const proof = request.proof ?? holder.proof({ method, url: realm, accessToken });
    const parameters = new URLSearchParams([
      ...many(service).map((value) => ['service', value]),
      ...many(scope).map((value) => ['scope', value]),
      ...Object.entries(form ?? {}),
    ]);
    const response = await fetch(method === 'GET' ? `${realm}?${parameters}` : realm, {
      method,
      headers: {
        ...(!form && { authorization: `Bearer ${accessToken}` }),
        ...(proof !== '' && { dpop: proof }),
        ...headers,
      },
      ...(method === 'POST' && { body: parameters }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };

  return {
    ...base,
    origin,
    realm,
    authority,
    holder,
    settings,
    telemetry,
    module,
    /** Another process over the same database. */
    make: createTokens,
    /** Starts another process at the same address, with other settings. */
    restart(overrides: Readonly<Record<string, string>>): void {
      served = createTokens(overrides);
    },
    bugs,
    bound,
    ask,
    async graph(source: string, as: Person = 'operator', variableValues: Record<string, unknown> = {}) {
      const contextValue = module.context(people[as]);
      const { data, errors } = await graphql({ schema: module.schema, source, variableValues, contextValue });
      return { data, errors: errors?.map((error) => formatGraphError(error, 'test', (bug) => void bugs.push(bug))) };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      server.closeAllConnections();
      server.close();
      await telemetry.close();
      await base[Symbol.asyncDispose]();
    },
  };
};

export type RegistryApp = Awaited<ReturnType<typeof registryApp>>;
