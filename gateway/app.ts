import { fileURLToPath } from 'node:url';
import { logOriginOf } from '@landfall/attestation/log/origin';
import type { Worker } from '@landfall/kernel/core/worker';
import { migrate } from '@landfall/kernel/db/migrate';
import { createSealer } from '@landfall/kernel/events/sealer';
import { createDpop } from '@landfall/kernel/identity/dpop';
import type { Log } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import type { ClientConfig } from 'pg';
import { assemble, type Opening } from './assemble.ts';
import type { Runtime } from './edge/runtime.ts';
import { createTls } from './http/tls.ts';
import { createModules, type Hosted, MODULES } from './modules/modules.ts';
import { checkDatabase, databaseRefusal, isForbidden, servingLogin } from './process/database-check.ts';
import { drain, type Step } from './process/drain.ts';
import { createHost } from './process/host.ts';
import { createHousekeeping } from './process/housekeeping.ts';
import { type Role, roleName } from './process/role.ts';
import { consoleClient } from './session/console-client.ts';
import { ensureConsole } from './session/console-registration.ts';
import { publicUrls } from './settings/kernel-settings.ts';
import type { GatewaySettings } from './settings/settings.ts';

export interface AppOptions {
  readonly settings: GatewaySettings;
  readonly role: Role;
  /** Whether background work runs here. */
  readonly worker: boolean;
  readonly log: Log;
}

/** A running process. */
export interface App {
  readonly hosted: Hosted;
  /** Where each listener of this process is. */
  readonly addresses: Readonly<Partial<Record<Opening['name'], string>>>;
  /** Ends everything in order; whether it ended well. */
  stop(): Promise<boolean>;
}

const kernelMigrations = fileURLToPath(new URL('../subgraphs/kernel/migrations', import.meta.url));

const namesOf = (role: Role): readonly string[] => {
  if (role.kind === 'edge') return [];
  return role.kind === 'module' ? [role.module] : MODULES;
};

const open = async ({ name, app, host, port }: Opening): Promise<readonly [Opening['name'], string]> => [
  name,
  await app.listen({ host, port }),
];

/** Seals go into the orchestrator's log, so they are made where that is. */
const sealers = ({ deps, settings, telemetry }: Runtime, { orchestrator }: Hosted): Worker[] => {
  if (!orchestrator) return [];
  const { append } = orchestrator.transparencyLog;
  const anchor = { origin: logOriginOf(settings.platformDomain), append };
  return [createSealer({ ...deps, meter: telemetry.meter('kernel') }, anchor)];
};

const startAll = (workers: readonly Worker[]): Step[] =>
  workers.map((worker) => {
    const running = worker.start();
    return { name: worker.name, close: async () => running[Symbol.asyncDispose]() };
  });

const startWorkers = (runtime: Runtime, hosted: Hosted): Step[] => {
  const ofModules = hosted.all.flatMap(({ workers }) => workers);
  return startAll([createHousekeeping(runtime.deps), ...sealers(runtime, hosted), ...ofModules]);
};

const startCompanions = ({ all }: Hosted): Step[] => startAll(all.flatMap(({ companions = [] }) => companions));

/** @throws Error that names the setting when the login of an external database may not do what a migration does */
const prepare = async (login: ClientConfig, { all }: Hosted, settings: GatewaySettings): Promise<void> => {
  const { databaseUrl, databaseDirectUrl } = settings;
  const serving = servingLogin(settings);
  try {
    await migrate(login, [kernelMigrations, ...all.map(({ migrations }) => migrations)], serving);
  } catch (error) {
    const url = databaseDirectUrl ?? databaseUrl;
    if (url === undefined || !isForbidden(error)) throw error;
    throw databaseRefusal(databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url, error);
  }
  if (databaseUrl !== undefined && serving) await checkDatabase('DATABASE_URL', databaseUrl);
};

/** Starts a process in its role: database, modules, listeners, background work. It is ready when the promise settles. */
export const startApp = async ({ settings, role, worker, log }: AppOptions): Promise<App> => {
  const tls = await createTls(settings, log);
  const host = await createHost(settings, log);
  const telemetry = createTelemetry(log);
  const runtime: Runtime = {
    deps: host.deps,
    settings,
    log,
    telemetry,
    tls,
    dpop: createDpop(host.deps, { requiresNonce: settings.requiresDpopNonce }),
    onBug: (error, correlationId) => log.error({ err: error, correlationId }, 'failure within an answer'),
  };
  const hosted = createModules(namesOf(role), host.deps, settings, { telemetry, role: roleName(role) });
  await prepare(host.migrating, hosted, settings);
  if (hosted.authority)
    await ensureConsole(hosted.authority, consoleClient(host.deps.secrets, publicUrls(settings).baseUrl));

  const { openings, accepting, standing } = await assemble(runtime, role, hosted);
  const companions = startCompanions(hosted);
  // One after the other, the web listener last: who finds it ready finds the others.
  const addresses = Object.fromEntries(await Array.fromAsync(openings, open));
  const workers = worker ? startWorkers(runtime, hosted) : [];
  const listeners = openings.map(({ name, app }) => ({ name: `listener ${name}`, close: async () => app.close() }));
  return {
    hosted,
    addresses,
    stop: () =>
      drain(
        [
          [...accepting, ...listeners, ...workers],
          [
            ...standing,
            ...companions,
            { name: 'telemetry', close: telemetry.close },
            { name: 'tls', close: async () => tls[Symbol.dispose]() },
          ],
          [{ name: 'database', close: async () => host[Symbol.asyncDispose]() }],
        ],
        { timeoutMs: settings.drainMs, log },
      ),
  };
};
