import type { GraphQLDataSource } from '@apollo/gateway';
import type { HttpClient } from '@landfall/kernel/http/client';
import { type KeySet, publishedKeySet } from '@landfall/kernel/identity/keys';
import type { Route } from '@landfall/kernel/routes/route';
import { routesOf } from '@landfall/rest-compat';
import { isOnAuthority } from '@landfall/rest-compat/place';
import { publishedRoutes } from '@landfall/rest-compat/published';
import type { GraphContext } from '../graph/context.ts';
import { localSource } from '../graph/local-source.ts';
import { remoteSource } from '../graph/remote-source.ts';
import { createBackChannel } from '../http/back-channel.ts';
import { type Checks, type Notes, notesOf } from '../http/health.ts';
import type { Hosted } from '../modules/modules.ts';
import type { Step } from '../process/drain.ts';
import { createCertificateSeals } from '../roles/certificate-seal.ts';
import { createEnvelopes } from '../roles/envelope.ts';
import { createModuleClient } from '../roles/module-client.ts';
import { proxyRoute } from '../roles/proxy.ts';
import { publicUrls } from '../settings/kernel-settings.ts';
import { moduleUrls } from '../settings/settings.ts';
import type { Runtime } from './runtime.ts';

/** What stands behind the web listener, wherever it runs. */
export interface Behind {
  readonly sources: ReadonlyMap<string, GraphQLDataSource<GraphContext>>;
  /** The REST paths of {base_url}. */
  readonly routes: readonly Route[];
  readonly checks: Checks;
  readonly notes: Notes;
  readonly keySet: KeySet;
  /** Where the authority is reached from here. */
  readonly authorityOrigin: string;
  /** How, where its certificate is the installation's own. */
  readonly authorityHttp?: HttpClient;
  readonly standing: readonly Step[];
}

/** All modules in this process. */
export const behindHere = ({ settings, onBug, tls }: Runtime, hosted: Hosted): Behind => {
  const { authority } = hosted;
  if (!authority) throw new TypeError('everything in one process includes the authority');
  const way = createBackChannel(settings, tls);
  return {
    sources: new Map(hosted.all.map((module) => [module.name, localSource(module, onBug)])),
    routes: routesOf(hosted).filter((route) => !isOnAuthority(route)),
    checks: {},
    notes: notesOf(hosted.all),
    keySet: async () => (await authority.keys.jwks()).keys,
    authorityOrigin: way.origin,
    ...(way.http && { authorityHttp: way.http }),
    standing: way.http ? [{ name: 'connections to the authority', close: way.http.close }] : [],
  };
};

/** Every module in a process of its own, where the settings say. */
export const behindThere = ({ deps, settings, onBug }: Runtime): Behind => {
  const envelopes = createEnvelopes({ secrets: deps.secrets, clock: deps.clock, role: 'edge' });
  const seals = createCertificateSeals(deps.secrets);
  const urls = moduleUrls(settings);
  const clients = [...urls].map(([name, url]) => createModuleClient(name, url, envelopes));
  const authorityOrigin = urls.get('authority') ?? publicUrls(settings).authUrl;
  return {
    sources: new Map(clients.map((client) => [client.name, remoteSource(client, onBug)])),
    routes: publishedRoutes().flatMap((route) => {
      const client = clients.find(({ name }) => name === route.module && !isOnAuthority(route));
      return client ? [proxyRoute(route, client, seals)] : [];
    }),
    notes: notesOf([]),
    checks: Object.fromEntries(clients.map((client) => [client.name, client.isReady])),
    keySet: publishedKeySet(deps.http, authorityOrigin, deps.ids.uuid),
    authorityOrigin,
    standing: clients.map(({ name, close }) => ({ name: `connections to ${name}`, close })),
  };
};
