import { fileURLToPath } from 'node:url';
import { ping } from '@landfall/kernel/db/ping';
import type { Notice } from '@landfall/kernel/events/read';
import type { Route } from '@landfall/kernel/routes/route';
import { isLoopback } from '@landfall/kernel/system/address';
import { isOnAuthority } from '@landfall/rest-compat/place';
import type { FastifyInstance } from 'fastify';
import { createChangeFeed } from './changes/change-feed.ts';
import { createHorizonWatch } from './changes/horizon-watch.ts';
import { createOutside } from './edge/authentication.ts';
import { type Backends, type LocalModules, localBackends, remoteBackends } from './edge/backends.ts';
import {
  ADMIN_HOST,
  createAdmin,
  createAgentListener,
  createAuthorityListener,
  createInside,
  createWeb,
} from './edge/listeners.ts';
import type { Runtime } from './edge/runtime.ts';
import { createGraph } from './graph/graph.ts';
import { graphTypes } from './graph/types.ts';
import { createBudget, priced } from './http/budget.ts';
import type { Checks } from './http/health.ts';
import type { Step } from './process/drain.ts';
import { type Role, roleName } from './process/role.ts';
import { createEnvelopes } from './roles/envelope.ts';

/** A listener that is ready to open. */
export interface Opening {
  readonly name: 'web' | 'authority' | 'agents' | 'admin';
  readonly app: FastifyInstance;
  readonly host: string;
  readonly port: number;
}

/** A role's listeners in the order in which they open, and what ends with them. */
export interface Assembly {
  readonly openings: readonly Opening[];
  /** Ends together with the listeners, so that these are not kept open. */
  readonly accepting: readonly Step[];
  /** Ends after them. */
  readonly standing: readonly Step[];
}

const dist = fileURLToPath(new URL('../console/dist', import.meta.url));

const databaseCheck = ({ deps }: Runtime): Checks => ({
  database: async () => {
    await deps.database.system.read(ping);
    return true;
  },
});

/** What a change of these may have ended: tokens that this process verified in the last seconds. */
const ENDS_TOKENS: ReadonlySet<string> = new Set(['AccessToken', 'Client', 'Tenant', 'TokenFamily', 'User']);

/** What a client can ask for again: nobody is told of anything else. */
const GRAPH_TYPES = graphTypes();

const webOf = async (runtime: Runtime, backends: Backends): Promise<Assembly> => {
  const { deps, settings, log, onBug, dpop } = runtime;
  const { keySet, authorityOrigin, authorityHttp, sources, routes } = backends;
  const outside = createOutside({ deps, settings, keySet, authorityOrigin, authorityHttp, dpop });
  const introspection = settings.graphIntrospection ?? isLoopback(settings.host);
  const { costPerRequest, costPerSecond, costBurst } = settings;
  const limits = { perRequest: costPerRequest, perSecond: costPerSecond, burst: costBurst };
  const budget = createBudget(deps.clock, limits);
  const graph = await createGraph({ sources, introspection, log, onBug, budget });
  const onEvent = ({ entity }: Notice): void => {
    if (ENDS_TOKENS.has(entity)) outside.edge.forget();
  };
  const feed = createChangeFeed({ ...deps, onEvent, isTold: (type) => GRAPH_TYPES.has(type) });
  const horizon = createHorizonWatch({ ...deps, meter: runtime.telemetry.meter('kernel') });
  const checks = { ...databaseCheck(runtime), ...backends.checks };
  const { app, streams } = await createWeb(runtime, {
    outside,
    graph,
    feed,
    horizon,
    routes: routes.map((route) => priced(route, budget)),
    budget: limits,
    checks,
    notes: backends.notes,
    dist,
  });
  return {
    openings: [{ name: 'web', app, host: settings.host, port: settings.webPort }],
    accepting: [{ name: 'change streams', close: async () => streams.close() }],
    standing: [
      { name: 'graph', close: graph.close },
      { name: 'change feed', close: async () => feed[Symbol.asyncDispose]() },
      { name: 'event horizon', close: async () => horizon[Symbol.asyncDispose]() },
      ...backends.standing,
    ],
  };
};

/** Listeners for clients that reach a module past the edge: browsers and OAuth clients at the authority, agents. */
const directListeners = async (runtime: Runtime, { modules, routes }: LocalModules): Promise<Opening[]> => {
  const { host, authPort, agentPort } = runtime.settings;
  const ownRoutes = routes.filter(isOnAuthority);
  const openings: Opening[] = [];
  if (ownRoutes.length > 0) {
    const app = await createAuthorityListener(runtime, { routes: ownRoutes, checks: databaseCheck(runtime) });
    openings.push({ name: 'authority', app, host, port: authPort });
  }
  for (const { door } of modules) {
    if (door) openings.push({ name: 'agents', app: await createAgentListener(runtime, door), host, port: agentPort });
  }
  return openings;
};

const insideOf = (runtime: Runtime, role: Role, { modules, routes }: LocalModules): Promise<Opening[]> => {
  const { deps, settings } = runtime;
  const envelopes = createEnvelopes({ secrets: deps.secrets, clock: deps.clock, role: roleName(role) });
  const isOpen = (route: Route): boolean =>
    route.isPublic === true || route.knowsCallers === true || isOnAuthority(route);
  const [open, closed] = [routes.filter(isOpen), routes.filter((route) => !isOpen(route))];
  return Promise.all(
    modules.map(async (module): Promise<Opening> => {
      const checks = databaseCheck(runtime);
      const app = await createInside(runtime, { module, envelopes, routes: closed, open, checks });
      return { name: 'web', app, host: settings.host, port: settings.webPort };
    }),
  );
};

const rolesOwn = async (runtime: Runtime, role: Role, local: LocalModules): Promise<Assembly> => {
  if (role.kind === 'all-in-one') return webOf(runtime, localBackends(runtime, local));
  if (role.kind === 'edge') return webOf(runtime, remoteBackends(runtime));
  return { openings: await insideOf(runtime, role, local), accepting: [], standing: [] };
};

/** Everything that a role opens. Nothing listens yet. */
export const assemble = async (runtime: Runtime, role: Role, local: LocalModules): Promise<Assembly> => {
  const { openings, ...steps } = await rolesOwn(runtime, role, local);
  const admin: Opening = {
    name: 'admin',
    app: createAdmin(runtime),
    host: ADMIN_HOST,
    port: runtime.settings.adminPort,
  };
  return { openings: [...(await directListeners(runtime, local)), admin, ...openings], ...steps };
};
