import { fileURLToPath } from 'node:url';
import { authorityModule } from '@landfall/authority';
import type { Worker } from '@landfall/kernel/core/worker';
import { migrate } from '@landfall/kernel/db/migrate';
import { createSealer } from '@landfall/kernel/events/sealer';
import { createDpop } from '@landfall/kernel/identity/dpop';
import type { Module } from '@landfall/kernel/module';
import type { Log } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { type InstalledModule, MODULES, routesOf } from '@landfall/rest-compat/modules';
import type { ClientConfig } from 'pg';
import type { Runtime } from './edge/runtime.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createTls } from './http/tls.ts';
import { createModules } from './modules/modules.ts';
import { checkDatabase, databaseRefusal, isForbidden, servingLogin } from './process/database-check.ts';
import { createDependencies } from './process/dependencies.ts';
import { drain, type Step } from './process/drain.ts';
import { modulesOf, type Role, roleName } from './process/role.ts';
import { startSpanExport } from './process/span-export.ts';
import { assembleListeners, type PlannedListener } from './role-listeners.ts';
import { consoleClient } from './session/console-client.ts';
import { ensureConsole } from './session/console-registration.ts';
import { publicUrls } from './settings/process-settings.ts';
import type { GatewaySettings } from './settings/settings.ts';

interface AppOptions {
  readonly settings: GatewaySettings;
  readonly role: Role;
  /** Whether this process runs background work. */
  readonly worker: boolean;
  readonly log: Log;
  /** Modules of the product; tests add one. */
  readonly installed?: readonly InstalledModule[];
}

/** Running process. */
export interface App {
  readonly modules: readonly Module[];
  /** Address of each listener of this process. */
  readonly addresses: Readonly<Partial<Record<PlannedListener['name'], string>>>;
  /** Stops everything in order; true if all steps succeeded. */
  stop(): Promise<boolean>;
}

const kernelMigrations = fileURLToPath(new URL('../subgraphs/kernel/migrations', import.meta.url));

const open = async ({
  name,
  app,
  host,
  port,
}: PlannedListener): Promise<readonly [PlannedListener['name'], string]> => [name, await app.listen({ host, port })];

/** Workers that seal the audit trail, in the process with the log that records the seals. */
const sealers = ({ deps, telemetry }: Runtime, modules: readonly Module[]): Worker[] =>
  modules.flatMap(({ sealLog }) =>
    sealLog ? [createSealer({ ...deps, meter: telemetry.meter('kernel') }, sealLog)] : [],
  );

const startAll = (workers: readonly Worker[]): Step[] =>
  workers.map((worker) => {
    const running = worker.start();
    return { name: worker.name, close: async () => running[Symbol.asyncDispose]() };
  });

const startWorkers = (runtime: Runtime, modules: readonly Module[]): Step[] => {
  const ofModules = modules.flatMap(({ workers }) => workers);
  return startAll([createHousekeeping(runtime.deps), ...sealers(runtime, modules), ...ofModules]);
};

const startModuleWorkers = (modules: readonly Module[]): Step[] =>
  startAll(modules.flatMap(({ companions = [] }) => companions));

/** Migrates the database and checks the serving login. Throws an Error with the setting if rights are missing. */
const prepare = async (
  login: ClientConfig,
  descriptors: readonly InstalledModule[],
  settings: GatewaySettings,
): Promise<void> => {
  const { databaseUrl, databaseDirectUrl } = settings;
  const serving = servingLogin(settings);
  try {
    await migrate(login, [kernelMigrations, ...descriptors.map(({ migrations }) => migrations)], serving);
  } catch (error) {
    const url = databaseDirectUrl ?? databaseUrl;
    if (url === undefined || !isForbidden(error)) throw error;
    throw databaseRefusal(databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url, error);
  }
  if (databaseUrl !== undefined && serving) await checkDatabase('DATABASE_URL', databaseUrl);
};

/** Starts a process in its role: database, modules, listeners, background work. Resolves when the process is ready. */
export const startApp = async ({ settings, role, worker, log, installed = MODULES }: AppOptions): Promise<App> => {
  const tls = await createTls(settings, log);
  const host = await createDependencies(settings, log);
  const telemetry = createTelemetry(log);
  const tracing = await startSpanExport(host.deps, settings);
  const runtime: Runtime = {
    deps: host.deps,
    settings,
    log,
    telemetry,
    tls,
    dpop: createDpop(host.deps, { requiresNonce: settings.requiresDpopNonce }),
    onBug: (error, correlationId) => log.error({ err: error, correlationId }, 'failure within an answer'),
  };
  const descriptors = modulesOf(role, installed);
  const modules = createModules(descriptors, host.deps, settings, { telemetry, tracing, role: roleName(role) });
  await prepare(host.migrating, descriptors, settings);
  await host.startEgress();
  const authority = authorityModule.find(modules);
  if (authority) await ensureConsole(authority, consoleClient(host.deps.secrets, publicUrls(settings).baseUrl));

  const { listeners, closedWithListeners, closedAfterListeners } = await assembleListeners(runtime, role, {
    modules,
    routes: routesOf(modules, installed),
  });
  const companions = startModuleWorkers(modules);
  // Listeners open one after the other, the web listener last: a client that can connect to it can connect to the
  // others.
  const addresses = Object.fromEntries(await Array.fromAsync(listeners, open));
  const workers = worker ? startWorkers(runtime, modules) : [];
  const listenerSteps = listeners.map(({ name, app }) => ({
    name: `listener ${name}`,
    close: async () => app.close(),
  }));
  return {
    modules,
    addresses,
    stop: () =>
      drain(
        [
          [...closedWithListeners, ...listenerSteps, ...workers],
          [
            ...closedAfterListeners,
            ...companions,
            { name: 'telemetry', close: telemetry.close },
            { name: 'spans', close: async () => tracing?.close() },
            { name: 'tls', close: async () => tls[Symbol.dispose]() },
          ],
          [{ name: 'database', close: async () => host[Symbol.asyncDispose]() }],
        ],
        { timeoutMs: settings.drainMs, log },
      ),
  };
};
