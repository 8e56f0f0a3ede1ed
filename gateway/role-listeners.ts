import { fileURLToPath } from 'node:url';
import { ping } from '@landfall/kernel/db/ping';
import type { Notice } from '@landfall/kernel/events/read';
import type { Route } from '@landfall/kernel/routes/route';
import { isLoopback } from '@landfall/kernel/system/address';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import type { FastifyInstance } from 'fastify';
import { createChangeFeed } from './changes/change-feed.ts';
import { createHorizonWatch } from './changes/horizon-watch.ts';
import { createAuthentication } from './edge/authentication.ts';
import { type Backends, type LocalModules, localBackends, remoteBackends } from './edge/backends.ts';
import {
  ADMIN_HOST,
  createAdminListener,
  createAgentListener,
  createAuthorityListener,
  createModuleListener,
  createWebListener,
} from './edge/listeners.ts';
import type { Runtime } from './edge/runtime.ts';
import { graphTypes } from './graph/types.ts';
import { createBudget, withBudget } from './http/cost-budget.ts';
import type { Checks } from './http/health.ts';
import type { Step } from './process/drain.ts';
import { type Role, roleName } from './process/role.ts';
import { createEnvelopes } from './roles/envelope.ts';

/** Listener that is configured but not open yet. */
export interface PlannedListener {
  readonly name: 'web' | 'authority' | 'agents' | 'admin';
  readonly app: FastifyInstance;
  readonly host: string;
  readonly port: number;
}

/** Listeners of a role in the order in which they open, and what stops with them. */
interface RoleListeners {
  readonly listeners: readonly PlannedListener[];
  /** Steps that stop together with the listeners, since they keep connections open. */
  readonly closedWithListeners: readonly Step[];
  /** Steps that stop after the listeners. */
  readonly closedAfterListeners: readonly Step[];
}

const dist = fileURLToPath(new URL('../console/dist', import.meta.url));

const databaseCheck = ({ deps }: Runtime): Checks => ({
  database: async () => {
    await deps.database.system.read(ping);
    return true;
  },
});

/** Types of entities whose change may invalidate tokens that this process has cached as verified. */
const ENDS_TOKENS: ReadonlySet<string> = new Set(['AccessToken', 'Client', 'Tenant', 'TokenFamily', 'User']);

const webListener = async (runtime: Runtime, backends: Backends): Promise<RoleListeners> => {
  const { deps, settings, log, onBug, dpop } = runtime;
  const { keySet, authorityOrigin, authorityHttp, sources, routes } = backends;
  const authentication = createAuthentication({ deps, settings, keySet, authorityOrigin, authorityHttp, dpop });
  const introspection = settings.graphIntrospection ?? isLoopback(settings.host);
  const { costPerRequest, costPerSecond, costBurst } = settings;
  const limits = { perRequest: costPerRequest, perSecond: costPerSecond, burst: costBurst };
  const budget = createBudget(deps.clock, limits);
  // Imported here: the gateway is a third of what a start loads, and a module's process has no use for it.
  const { createGraph } = await import('./graph/graph.ts');
  const graph = await createGraph({ sources, introspection, log, onBug, budget });
  const onEvent = ({ entity }: Notice): void => {
    if (ENDS_TOKENS.has(entity)) authentication.edge.forget();
  };
  // Changes of types that no client can query again are not published.
  const types = graphTypes();
  const feed = createChangeFeed({ ...deps, onEvent, isPublished: (type) => types.has(type) });
  const horizon = createHorizonWatch({ ...deps, meter: runtime.telemetry.meter('kernel') });
  const checks = { ...databaseCheck(runtime), ...backends.checks };
  const { app, streams } = await createWebListener(runtime, {
    authentication,
    graph,
    feed,
    horizon,
    routes: routes.map((route) => withBudget(route, budget)),
    budget: limits,
    checks,
    notes: backends.notes,
    dist,
  });
  return {
    listeners: [{ name: 'web', app, host: settings.host, port: settings.webPort }],
    closedWithListeners: [{ name: 'change streams', close: async () => streams.close() }],
    closedAfterListeners: [
      { name: 'graph', close: graph.close },
      { name: 'change feed', close: async () => feed[Symbol.asyncDispose]() },
      { name: 'event horizon', close: async () => horizon[Symbol.asyncDispose]() },
      ...backends.connections,
    ],
  };
};

/** Creates the listeners that bypass the edge: the authority's, for browsers and OAuth clients, and the agents'. */
const directListeners = async (runtime: Runtime, { modules, routes }: LocalModules): Promise<PlannedListener[]> => {
  const { host, authPort, agentPort } = runtime.settings;
  const ownRoutes = routes.filter(isOnAuthority);
  const openings: PlannedListener[] = [];
  if (ownRoutes.length > 0) {
    const app = await createAuthorityListener(runtime, { routes: ownRoutes, checks: databaseCheck(runtime) });
    openings.push({ name: 'authority', app, host, port: authPort });
  }
  for (const { agentListener } of modules) {
    if (agentListener)
      openings.push({ name: 'agents', app: await createAgentListener(runtime, agentListener), host, port: agentPort });
  }
  return openings;
};

const moduleListeners = (
  runtime: Runtime,
  role: Role,
  { modules, routes }: LocalModules,
): Promise<PlannedListener[]> => {
  const { deps, settings } = runtime;
  const envelopes = createEnvelopes({ secrets: deps.secrets, clock: deps.clock, role: roleName(role) });
  const isOpen = (route: Route): boolean =>
    route.isPublic === true || route.knowsCallers === true || isOnAuthority(route);
  const [open, closed] = [routes.filter(isOpen), routes.filter((route) => !isOpen(route))];
  return Promise.all(
    modules.map(async (module): Promise<PlannedListener> => {
      const checks = databaseCheck(runtime);
      const app = await createModuleListener(runtime, { module, envelopes, routes: closed, open, checks });
      return { name: 'web', app, host: settings.host, port: settings.webPort };
    }),
  );
};

const roleListeners = async (runtime: Runtime, role: Role, local: LocalModules): Promise<RoleListeners> => {
  if (role.kind === 'all-in-one') return webListener(runtime, localBackends(runtime, local));
  if (role.kind === 'edge') return webListener(runtime, remoteBackends(runtime));
  return { listeners: await moduleListeners(runtime, role, local), closedWithListeners: [], closedAfterListeners: [] };
};

/** Creates the listeners of a role, without opening them. */
export const assembleListeners = async (runtime: Runtime, role: Role, local: LocalModules): Promise<RoleListeners> => {
  const { listeners, ...steps } = await roleListeners(runtime, role, local);
  const admin: PlannedListener = {
    name: 'admin',
    app: createAdminListener(runtime),
    host: ADMIN_HOST,
    port: runtime.settings.adminPort,
  };
  return { listeners: [...(await directListeners(runtime, local)), admin, ...listeners], ...steps };
};
