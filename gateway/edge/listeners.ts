import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createAllowedOrigins } from '@landfall/authority';
import type { AgentListener, Module } from '@landfall/kernel/module';
import { type RoutesOptions, registerRoutes } from '@landfall/kernel/routes/plugin';
import type { Route } from '@landfall/kernel/routes/route';
import { isLoopback } from '@landfall/kernel/system/address';
import { publishedRoutes } from '@landfall/rest-compat/published';
import type { FastifyInstance } from 'fastify';
import type { ChangeFeed } from '../changes/change-feed.ts';
import { type ChangeStreams, registerChanges } from '../changes/changes.ts';
import type { HorizonWatch } from '../changes/horizon-watch.ts';
import { registerAuthorityDocument, registerDocs } from '../docs/docs.ts';
import { registerDocuments } from '../docs/document-pages.ts';
import type { Graph } from '../graph/graph.ts';
import { registerGraph } from '../graph/graph-route.ts';
import { registerSchemaDownload } from '../graph/schema-download.ts';
import { registerSubgraph } from '../graph/subgraph-route.ts';
import { hostName, servedHosts } from '../http/allowed-hosts.ts';
import { hasConsole, registerConsole } from '../http/console-files.ts';
import { AUTHORITY_PATHS, PLATFORM_PATHS, registerCors } from '../http/cors.ts';
import type { BudgetLimits } from '../http/cost-budget.ts';
import { type Checks, type Notes, notesOf, readinessOf, registerHealth } from '../http/health.ts';
import { createListener, type Identify, noteFailure, originalHeadersOf } from '../http/listener.ts';
import { registerNotFound } from '../http/not-found.ts';
import { createCertificateSeals } from '../roles/certificate-seal.ts';
import type { Envelopes } from '../roles/envelope.ts';
import { publicUrls } from '../settings/process-settings.ts';
import type { CallerAuthentication } from './authentication.ts';
import { identifyByEnvelope } from './identification.ts';
import type { Runtime } from './runtime.ts';

/** Interval of certificate renewal in milliseconds, far below a certificate's validity. */
const DAY_MS = 86_400_000;

interface Kind {
  /** Address to bind, unless the setting's. */
  readonly host?: string;
  readonly server?: Server;
  /** Whether unknown paths get the console's page. */
  readonly hasPage?: boolean;
}

const listenerOf = (runtime: Runtime, { host, server, hasPage = false }: Kind = {}): FastifyInstance => {
  const { deps, settings, log, telemetry, tls } = runtime;
  const { ids, clock } = deps;
  const app = createListener({
    ids,
    clock,
    log,
    meter: telemetry.meter('http'),
    certificateOf: tls.certificateOf,
    ...(isLoopback(host ?? settings.host) && { serves: servedHosts(settings) }),
    ...(server && { server }),
  });
  registerNotFound(app, clock, hasPage);
  return app;
};

const serveRoutes = (
  app: FastifyInstance,
  routes: readonly Route[],
  { deps: { clock, ids }, tls }: Runtime,
  callerOf: Identify,
  certificateOf: RoutesOptions['certificateOf'] = (request) => originalHeadersOf(request).certificate,
): Promise<void> =>
  registerRoutes(app, routes, {
    clock,
    ids,
    onBug: noteFailure,
    callerOf,
    certificateOf,
    addressOf: ({ raw }) => tls.addressOf(raw),
  });

/** Strict-Transport-Security of one year (RFC 6797 6.1.1), without subdomains, which may belong to others. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** Whether a host gets Strict-Transport-Security: not loopback names, which all programs of a machine share. */
const isStrict = (host: string | undefined): boolean => host !== undefined && !isLoopback(hostName(host));

interface PublicKind extends Pick<Kind, 'hasPage'> {
  /** Paths that pages of other origins may call. */
  readonly paths: readonly string[];
}

/** Creates a public listener, with TLS if configured and a new nonce for clients that use DPoP (RFC 9449 8.2). */
const publicListenerOf = (runtime: Runtime, { paths, ...kind }: PublicKind): FastifyInstance => {
  const server = runtime.tls.server();
  const app = listenerOf(runtime, { ...kind, ...(server && { server }) });
  registerCors(app, { allowsOrigin: createAllowedOrigins(runtime.deps), paths });
  app.addHook('onRequest', (request, reply, callback) => {
    if (server && isStrict(request.headers.host)) reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (originalHeadersOf(request).dpop.length > 0) reply.header('dpop-nonce', runtime.dpop.nonce());
    callback();
  });
  return app;
};

/** Refuses identification, for routes of protocols that identify callers themselves. */
const refuseIdentification: Identify = () => Promise.reject(new TypeError('a protocol route asked who calls'));

interface WebOptions {
  readonly authentication: CallerAuthentication;
  readonly graph: Graph;
  readonly feed: ChangeFeed;
  readonly horizon: HorizonWatch;
  /** REST routes below {base_url}: the modules' own, or the proxy's. */
  readonly routes: readonly Route[];
  /** Cost budget of callers, for the page that documents it. */
  readonly budget: BudgetLimits;
  readonly checks: Checks;
  readonly notes: Notes;
  /** Directory of the built console. */
  readonly dist: string;
}

/** Creates the web listener: console, graph, changes, REST. */
export const createWebListener = async (
  runtime: Runtime,
  { authentication, graph, feed, horizon, routes, budget, checks, notes, dist }: WebOptions,
): Promise<{ readonly app: FastifyInstance; readonly streams: ChangeStreams }> => {
  const { identify, identifyStream } = authentication;
  const isBuilt = hasConsole(dist);
  const app = publicListenerOf(runtime, { hasPage: isBuilt, paths: PLATFORM_PATHS });
  registerHealth(app, checks, notes);
  registerDocs(app, {
    routes: publishedRoutes(),
    budget,
    clock: runtime.deps.clock,
    baseUrl: publicUrls(runtime.settings).baseUrl,
  });
  await registerDocuments(app);
  await registerGraph(app, { graph, identify });
  await registerSchemaDownload(app, { identify });
  const streams = await registerChanges(app, { feed, identify, identifyStream, horizon });
  await authentication.register(app);
  await serveRoutes(app, routes, runtime, identify);
  if (isBuilt) await registerConsole(app, dist);
  return { app, streams };
};

/** Creates the authority's own listener, whose routes identify clients themselves. */
export const createAuthorityListener = async (
  runtime: Runtime,
  { routes, checks }: { readonly routes: readonly Route[]; readonly checks: Checks },
): Promise<FastifyInstance> => {
  const app = publicListenerOf(runtime, { paths: AUTHORITY_PATHS });
  registerHealth(app, checks);
  registerAuthorityDocument(app, publishedRoutes(), publicUrls(runtime.settings).authUrl);
  await serveRoutes(app, routes, runtime, refuseIdentification);
  return app;
};

interface ModuleListenerOptions {
  readonly module: Module;
  readonly envelopes: Envelopes;
  /** Module's REST routes; each caller arrives in an envelope. */
  readonly routes: readonly Route[];
  /** Routes without envelope: those that identify clients themselves, for the edge's back channel, and public ones. */
  readonly open: readonly Route[];
  readonly checks: Checks;
}

/** Creates a module's listener for other roles, REST and GraphQL, which requires an envelope. */
export const createModuleListener = async (
  runtime: Runtime,
  { module, envelopes, routes, open, checks }: ModuleListenerOptions,
): Promise<FastifyInstance> => {
  const { onBug } = runtime;
  const app = listenerOf(runtime);
  registerHealth(app, { ...checks, ...readinessOf([module]) }, notesOf([module]));
  const seals = createCertificateSeals(runtime.deps.secrets);
  await serveRoutes(app, open, runtime, refuseIdentification, ({ raw }) => seals.open(raw));
  await app.register(async (scope) => {
    const identify = identifyByEnvelope(scope, envelopes);
    await registerSubgraph(scope, { module, identify, onBug });
    await serveRoutes(scope, routes, runtime, identify);
  });
  return app;
};

/** Creates the agents' listener: mutual TLS, where the routes judge each certificate, also an invalid one. */
export const createAgentListener = async (
  runtime: Runtime,
  { tls, routes, endPolls }: AgentListener,
): Promise<FastifyInstance> => {
  const server = createTlsServer({
    ...(await tls()),
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
  });
  const app = listenerOf(runtime, { server });
  const renew = (): void => {
    tls().then(
      (context) => server.setSecureContext(context),
      (error: unknown) => runtime.log.warn({ err: error }, 'the agents’ listener keeps its certificate for now'),
    );
  };
  const renewal = setInterval(renew, DAY_MS).unref();
  app.addHook('preClose', async () => endPolls());
  app.addHook('onClose', async () => clearInterval(renewal));
  await serveRoutes(app, routes, runtime, refuseIdentification);
  return app;
};

/** Address of the admin listener, whatever the others bind. */
export const ADMIN_HOST = '127.0.0.1';

/** Creates the admin listener: metrics, on loopback only. */
export const createAdminListener = (runtime: Runtime): FastifyInstance => {
  const app = listenerOf(runtime, { host: ADMIN_HOST });
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await runtime.telemetry.prometheus()),
  );
  return app;
};
