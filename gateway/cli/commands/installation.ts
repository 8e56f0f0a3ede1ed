import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets, type Secrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { holderOf, loginsOf, runningConnection, startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { noHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import { CannotCheck, type CommandHost, type Installation, type Terminal } from '@landfall/kernel/operator/command';
import { silentLog } from '@landfall/kernel/system/log';
import type { ClientConfig } from 'pg';
import { DATA_SETTING, embeddedDirectory } from '../../process/data-directory.ts';
import { checkDatabase } from '../../process/database-check.ts';
import { createEgress } from '../../process/dependencies.ts';
import { rootKeys } from '../../process/root-key.ts';
import { type GatewaySettings, platformOf, readGatewaySettings } from '../../settings/settings.ts';

const CONNECTIONS = 4;

/** Reads the settings of this environment, the same as the server's. */
export const readSettings = async ({ env }: Pick<Terminal, 'env'>): Promise<GatewaySettings> => {
  try {
    return await readGatewaySettings(env);
  } catch (error) {
    throw new CannotCheck(error instanceof Error ? error.message : String(error));
  }
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

interface Server extends AsyncDisposable {
  /** Login for migrations. */
  readonly connection: ClientConfig;
  /** Login of the app role. */
  readonly app: ClientConfig;
  /** Login of the system role, unless one login serves both. */
  readonly system?: ClientConfig;
}

/** Opens the embedded database: of a running server, or started for the duration of the command. Never creates one. */
const embedded = async (dataDir: string): Promise<Server> => {
  const directory = embeddedDirectory(dataDir);
  if (!(await isThere(directory)))
    throw new CannotCheck(`${DATA_SETTING}: ${resolve(dataDir)} has no database in it; name it, or set DATABASE_URL.`);
  const isRunning = (await holderOf(directory)) !== undefined;
  const server = isRunning ? undefined : await startPostgres({ dataDir: directory });
  const connection = server?.connection ?? (await runningConnection(directory));
  return { connection, ...loginsOf(connection), [Symbol.asyncDispose]: async () => server?.stop() };
};

/** Connects to the external database. Before the first start only the login for migrations exists. */
const external = async (url: string, directUrl: string | undefined): Promise<Server> => {
  try {
    if (directUrl !== undefined) await checkDatabase('DATABASE_DIRECT_URL', directUrl);
    await checkDatabase('DATABASE_URL', url);
  } catch (error) {
    throw new CannotCheck(error instanceof Error ? error.message : String(error));
  }
  return {
    connection: { connectionString: directUrl ?? url },
    app: { connectionString: url },
    [Symbol.asyncDispose]: async () => {},
  };
};

export const openInstallation = async (settings: GatewaySettings): Promise<Installation> => {
  const { databaseUrl, databaseDirectUrl, dataDir } = settings;
  const server = databaseUrl === undefined ? await embedded(dataDir) : await external(databaseUrl, databaseDirectUrl);
  const { connection, app, system } = server;
  const database = createDatabase({ connection: app, systemConnection: system, max: CONNECTIONS });
  return {
    database,
    connection,
    async [Symbol.asyncDispose]() {
      await database.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

const listTenants = async (installation: Installation) => {
  const { createTenants } = await import('@landfall/authority');
  return createTenants({ ...installation, ids: randomIds }, 'command-line').list();
};

/** Opens the installation of a terminal's environment, for the commands of modules. */
export const commandHost = (terminal: Pick<Terminal, 'env'>): CommandHost => ({
  async settings() {
    const settings = await readSettings(terminal);
    return { values: { ...settings }, platform: platformOf(settings) };
  },
  open: async () => openInstallation(await readSettings(terminal)),
  feeds: async () => (await import('@landfall/scanner')).feedImporter,
  problemOfRule: async (rule) => (await import('@landfall/scanner')).problemOfRule(rule),
  async transfers({ database }) {
    const settings = await readSettings(terminal);
    const { createReleaseTransfer } = await import('@landfall/orchestrator');
    const { policies, egress } = createEgress(settings, { database, hints: noHints, log: silentLog });
    await policies.start();
    const http = createHttpClient({ egress });
    const secrets = await ownSecrets(settings);
    const releases = createReleaseTransfer({ database, http, ids: randomIds, secrets });
    const keys = createSigningKeys({ database, secrets, log: silentLog }, settings);
    return {
      releases,
      signer: () => keys.signer('attestation'),
      http,
      async [Symbol.asyncDispose]() {
        await http.close();
        await policies.close();
      },
    };
  },
  tenants: async (installation) => (await listTenants(installation)).map(({ tenant }) => tenant),
  async tenantOf(installation, named) {
    const tenants = await listTenants(installation);
    const [only, ...others] = tenants;
    if (named === undefined && only && others.length === 0) return only.tenant;
    if (named === undefined)
      throw new CannotCheck(`Name a tenant by --tenant: ${tenants.map(({ tenant }) => tenant).join(', ')}.`);
    const found = tenants.find(({ tenant, id }) => tenant === named || id === named.toLowerCase());
    if (!found) throw new CannotCheck(`There is no tenant ${named}.`);
    return found.tenant;
  },
});

/** Reads the installation's root key. Unlike a server, a command never creates one. */
const ownSecrets = async (settings: GatewaySettings): Promise<Secrets> => {
  const file = join(settings.dataDir, 'secret.key');
  if (settings.secretKey === undefined && !(await isThere(file)))
    throw new CannotCheck(`The root key is neither in LANDFALL_SECRET_KEY nor in ${resolve(file)}; say where it is.`);
  return createSecrets(await rootKeys(settings));
};

/** Opens the platform's public keys, without access to sealed ones. */
export const publicKeys = ({ database }: Installation, settings: GatewaySettings) =>
  createSigningKeys({ database, secrets: createSecrets([randomBytes(32)]), log: silentLog }, settings);

/** Opens the platform's keys for changes. */
export const signingKeys = async ({ database }: Installation, settings: GatewaySettings) =>
  createSigningKeys({ database, secrets: await ownSecrets(settings), log: silentLog }, settings);
