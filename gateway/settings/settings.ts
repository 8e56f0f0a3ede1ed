import type { ModuleDescriptor } from '@landfall/kernel/module';
import { isLoopback, parseSubnets, type Subnets } from '@landfall/kernel/system/address';
import type { Platform } from '@landfall/kernel/system/platform';
import { defineSettings, loadSettings, type Settings, type SettingsSource } from '@landfall/kernel/system/settings';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import { processSettings, publicUrls, settingsSource, withDatabasePassword } from './process-settings.ts';
import { withSecretFiles } from './secret-files.ts';
import { version } from './version.ts';

/** Settings of the platform itself, which every process reads whatever modules it runs. */
const platformSettings = defineSettings({
  ...processSettings,
  moduleUrls: {
    type: 'list',
    default: [],
    env: 'LANDFALL_MODULES',
    name: 'Modules',
    description: 'Address of each module, for run mode roles, as `authority=http://10.0.0.5:4000`.',
  },
  privateRegistries: {
    type: 'boolean',
    default: false,
    env: 'LANDFALL_PRIVATE_REGISTRIES',
    name: 'Registries:Private',
    description:
      'Opens every private network to every tenant, to registries without an integration as well; for tests and trusted tenants.',
  },
  egressPrivate: {
    type: 'list',
    env: 'LANDFALL_EGRESS_PRIVATE',
    name: 'Egress:Private',
    description:
      'Private networks, as `10.0.0.0/8`, in which administrators of tenants may name addresses; `none` for none. Unset, only this machine if Landfall listens and is addressed on loopback only, otherwise none.',
  },
  databaseConnections: {
    type: 'integer',
    default: 16,
    min: 2,
    max: 500,
    env: 'LANDFALL_DATABASE_CONNECTIONS',
    name: 'Database:Connections',
    description:
      'Largest number of database connections of this process for tenants; a quarter more serve work across tenants.',
  },
  costPerRequest: {
    type: 'integer',
    default: 10_000,
    min: 100,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_PER_REQUEST',
    name: 'Cost:PerRequest',
    description: 'Highest cost of one operation of the graph, by the price list at /docs/graph.',
  },
  costPerSecond: {
    type: 'integer',
    default: 20_000,
    min: 1,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_PER_SECOND',
    name: 'Cost:PerSecond',
    description: 'Query budget of each caller per second, in each process that answers callers.',
  },
  costBurst: {
    type: 'integer',
    default: 100_000,
    min: 100,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_BURST',
    name: 'Cost:Burst',
    description: 'Highest query budget of a caller, reached by a pause.',
  },
});

export type GatewaySettings = Settings<typeof platformSettings>;

/** Table of the platform's settings and those of these modules; `settingsOf` finds a module's own. */
export const settingsTable = (modules: readonly Pick<ModuleDescriptor, 'settings'>[]): typeof platformSettings => ({
  ...platformSettings,
  ...Object.fromEntries(modules.flatMap(({ settings }) => Object.entries(settings))),
});

/** All settings of the product. */
export const gatewaySettings = settingsTable(MODULES);

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Private networks that tenants' requests may reach. Throws for a malformed setting. */
export const privateNetworks = ({
  egressPrivate,
  host,
  baseUrl,
}: Pick<GatewaySettings, 'egressPrivate' | 'host' | 'baseUrl'>): Subnets => {
  const isLocal = isLoopback(host) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname));
  const listed = egressPrivate ?? (isLocal ? LOOPBACK : []);
  return parseSubnets(
    'Egress:Private',
    listed.filter((entry) => entry !== 'none'),
  );
};

/** Reads the settings of a process. Throws an Error that names each invalid variable or setting. */
export const readGatewaySettings = async (
  env: SettingsSource['env'],
  modules: readonly InstalledModule[] = MODULES,
): Promise<GatewaySettings> => {
  const table = settingsTable(modules);
  const source = await settingsSource(env);
  const withSecrets = { ...source, env: await withSecretFiles(table, source.env) };
  return withDatabasePassword(loadSettings(table, withSecrets));
};

/** Addresses of the modules by name, without a trailing slash. */
export const moduleUrls = ({ moduleUrls: entries }: Pick<GatewaySettings, 'moduleUrls'>): ReadonlyMap<string, string> =>
  new Map(
    entries.map((entry) => {
      const [, name, url] = /^([a-z-]+)=(.+)$/.exec(entry) ?? [];
      if (name === undefined || url === undefined || !URL.canParse(url))
        throw new Error(`Modules: ${entry} is not name=url.`);
      return [name, url.replace(/\/+$/, '')];
    }),
  );

/** Settings of the platform for modules. */
export const platformOf = (settings: GatewaySettings): Platform => ({
  ...settings,
  ...publicUrls(settings),
  hasMutualTls: settings.tlsCertificateFile !== undefined,
  version,
});
