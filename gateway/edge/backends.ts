import type { HttpClient } from '@landfall/kernel/http/client';
import type { KeySet } from '@landfall/kernel/identity/keys';
import type { Module } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import { localSource } from '../graph/local-source.ts';
import type { ModuleSources } from '../graph/module-source.ts';
import { remoteSource } from '../graph/remote-source.ts';
import { createBackChannel } from '../http/back-channel.ts';
import { type Checks, type Notes, notesOf, readinessOf } from '../http/health.ts';
import { authorityKeys, authorityOrigin } from '../modules/modules.ts';
import type { Step } from '../process/drain.ts';
import { createCertificateSeals } from '../roles/certificate-seal.ts';
import { createEnvelopes } from '../roles/envelope.ts';
import { createModuleClient } from '../roles/module-client.ts';
import { proxyRoute } from '../roles/proxy.ts';
import { moduleUrls } from '../settings/settings.ts';
import { openPolicies } from './open-policies.ts';
import type { Runtime } from './runtime.ts';

/** Modules of this process and their REST routes. */
export interface LocalModules {
  readonly modules: readonly Module[];
  readonly routes: readonly Route[];
}

/** Modules behind the web listener, in this process or in others. */
export interface Backends {
  readonly sources: ModuleSources;
  /** REST routes below {base_url}. */
  readonly routes: readonly Route[];
  readonly checks: Checks;
  readonly notes: Notes;
  readonly keySet: KeySet;
  /** Origin of the authority for calls from this process. */
  readonly authorityOrigin: string;
  /** HTTP client for the authority when its certificate is the installation's own. */
  readonly authorityHttp?: HttpClient;
  readonly connections: readonly Step[];
}

/** All modules in this process. */
export const localBackends = ({ deps, settings, onBug, tls }: Runtime, { modules, routes }: LocalModules): Backends => {
  const { origin, http } = createBackChannel(settings, tls);
  const openPolicy = openPolicies(settings);
  return {
    sources: new Map(modules.map((module) => [module.name, localSource(module, onBug)])),
    routes: routes.filter((route) => !isOnAuthority(route)).map((route) => openPolicy(route)),
    checks: readinessOf(modules),
    notes: notesOf(modules),
    keySet: authorityKeys(deps, settings, modules),
    authorityOrigin: origin,
    ...(http && { authorityHttp: http }),
    connections: http ? [{ name: 'connections to the authority', close: http.close }] : [],
  };
};

/** Modules in other processes, at the addresses in the settings. */
export const remoteBackends = ({ deps, settings, onBug }: Runtime): Backends => {
  const envelopes = createEnvelopes({ secrets: deps.secrets, clock: deps.clock, role: 'edge' });
  const seals = createCertificateSeals(deps.secrets);
  const openPolicy = openPolicies(settings);
  const clients = [...moduleUrls(settings)].map(([name, url]) => createModuleClient(name, url, envelopes));
  return {
    sources: new Map(clients.map((client) => [client.name, remoteSource(client, onBug)])),
    routes: publishedRoutes().flatMap((route) => {
      const client = clients.find(({ name }) => name === route.module && !isOnAuthority(route));
      return client ? [openPolicy(proxyRoute(route, client, seals), route.scope)] : [];
    }),
    notes: notesOf([]),
    checks: Object.fromEntries(clients.map((client) => [client.name, client.isReady])),
    keySet: authorityKeys(deps, settings, []),
    authorityOrigin: authorityOrigin(settings),
    connections: clients.map(({ name, close }) => ({ name: `connections to ${name}`, close })),
  };
};
