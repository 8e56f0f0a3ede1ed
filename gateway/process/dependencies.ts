import { ownAddressesOf } from '@landfall/artifacts';
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createDatabase } from '@landfall/kernel/db/database';
import { loginsOf, type Postgres, startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { createDecisionCounts } from '@landfall/kernel/egress/decision-counts';
import { createEnforcedEgress } from '@landfall/kernel/egress/enforced-egress';
import { normalHost } from '@landfall/kernel/egress/host';
import type { OwnServices } from '@landfall/kernel/egress/judgement';
import { createLoadedPolicies } from '@landfall/kernel/egress/loaded-policies';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import { createStartGate } from '@landfall/kernel/operation/start-gate';
import { SHARED_ACCOUNT } from '@landfall/kernel/system/account';
import { type Egress, guarded } from '@landfall/kernel/system/egress';
import type { Log } from '@landfall/kernel/system/log';
import type { ClientConfig } from 'pg';
import { publicUrls } from '../settings/process-settings.ts';
import { type GatewaySettings, moduleUrls, privateNetworks } from '../settings/settings.ts';
import { embeddedDirectory, makeDataDirectory } from './data-directory.ts';
import { listeningUrl } from './database-check.ts';
import { rootKeys } from './root-key.ts';

const RESTART_MS = 1_000;

interface DatabaseServer extends AsyncDisposable {
  /** Login of the app role. */
  readonly app: ClientConfig;
  /** Login of the system role, unless one login serves both. */
  readonly system?: ClientConfig;
  /** Connection for LISTEN, which must not use a pooler. */
  readonly listening: ClientConfig;
  /** Login for migrations. */
  readonly migrating: ClientConfig;
}

/** Starts the embedded server, and restarts it when it exits; its socket stays at the same path. */
const embedded = async (dataDir: string, log: Log): Promise<DatabaseServer> => {
  let isStopping = false;
  let server: Postgres = await startPostgres({ dataDir });
  let clients: NodeJS.Timeout | undefined;

  const restart = async (): Promise<void> => {
    try {
      server = await startPostgres({ dataDir });
      watch();
      log.info('the embedded database is back');
    } catch (error) {
      log.error({ err: error }, 'the embedded database does not start; trying again');
      clients = setTimeout(restart, RESTART_MS);
    }
  };
  const watch = (): void => {
    void server.exited.then(({ code }) => {
      if (isStopping) return;
      log.error({ code }, 'the embedded database ended; starting it again');
      clients = setTimeout(restart, RESTART_MS);
    });
  };
  watch();
  if (server.account === SHARED_ACCOUNT)
    log.warn(
      { account: SHARED_ACCOUNT },
      'PostgreSQL runs as an account of other programs; make one: useradd --system landfall',
    );

  const { app, system } = loginsOf(server.connection);
  return {
    app,
    system,
    listening: app,
    migrating: server.connection,
    async [Symbol.asyncDispose]() {
      isStopping = true;
      clearTimeout(clients);
      await server.stop();
    },
  };
};

const external = (url: string, directUrl = url): DatabaseServer => ({
  app: { connectionString: url },
  listening: { connectionString: listeningUrl(url, directUrl) },
  migrating: { connectionString: directUrl },
  [Symbol.asyncDispose]: async () => {},
});

/** Dependencies of all modules of this process. */
interface ProcessDependencies extends AsyncDisposable {
  readonly deps: Deps;
  /** Login for migrations. */
  readonly migrating: ClientConfig;
  /** Reads the egress policies, without which nothing is sent, and keeps them current. After the migrations. */
  startEgress(): Promise<void>;
}

/** Egress policy beneath the tenants' own: tenants' requests reach neither private networks nor the platform's own listeners. */
const basePolicyOf = (settings: GatewaySettings): Egress => {
  const { webPort, authPort, agentPort, adminPort, privateRegistries } = settings;
  return guarded({
    ownPorts: new Set([webPort, authPort, agentPort, adminPort]),
    privateNetworks: privateNetworks(settings),
    allowPrivate: privateRegistries,
  });
};

/** `host:port` of an address of the installation, as the egress policy compares it. */
const ownServiceOf = (address: string): string => {
  const { hostname, port, protocol } = new URL(address);
  return `${normalHost(hostname) ?? hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
};

/** Services of the installation itself, by its settings. */
export const ownServices = (settings: GatewaySettings): OwnServices => {
  const { baseUrl, authUrl } = publicUrls(settings);
  return {
    services: new Set([baseUrl, authUrl, ...moduleUrls(settings).values()].map(ownServiceOf)),
    objectStore: new Set(ownAddressesOf(settings).map(ownServiceOf)),
  };
};

/** Creates the egress policy of a process. It blocks until the policies are started, which needs the migrated database. */
export const createEgress = (settings: GatewaySettings, services: Pick<Deps, 'database' | 'hints' | 'log'>) => {
  const counts = createDecisionCounts();
  const policies = createLoadedPolicies({ ...services, counts });
  const egress = createEnforcedEgress({ policies, base: basePolicyOf(settings), own: ownServices(settings), counts });
  return { policies, egress };
};

/** Connects to the database, or starts the embedded one. Does not migrate. */
export const createDependencies = async (settings: GatewaySettings, log: Log): Promise<ProcessDependencies> => {
  const { dataDir, databaseUrl, databaseDirectUrl, databaseConnections: max } = settings;
  await makeDataDirectory(dataDir);
  const secrets = createSecrets(await rootKeys(settings));
  const server =
    databaseUrl === undefined
      ? await embedded(embeddedDirectory(dataDir), log)
      : external(databaseUrl, databaseDirectUrl);
  const { app, system, listening, migrating } = server;
  const hints = createHints(listening);
  const database = createDatabase({ connection: app, systemConnection: system, max, onEvents: hints.publish });
  const { policies, egress } = createEgress(settings, { database, hints, log });
  const http = createHttpClient({ egress });
  return {
    migrating,
    startEgress: policies.start,
    deps: {
      database,
      hints,
      http,
      egress,
      secrets,
      log,
      clock: systemClock,
      ids: randomIds,
      operation: createOperations(database, secrets).reading(createStartGate(policies)),
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await policies.close();
      await hints.close();
      await database.close();
      await server[Symbol.asyncDispose]();
    },
  };
};
