import { isLoopback, parseSubnets, type Subnets } from '@landfall/kernel/system/address';
import { defineSettings, loadSettings, type Settings, type SettingsSource } from '@landfall/kernel/system/settings';
import { registryTokenSettings } from '@landfall/registry-token';
import { searchSettings } from '@landfall/search';
import { kernelSettings, settingsSource, withDatabasePassword } from './kernel-settings.ts';
import { withSecretFiles } from './secret-files.ts';

/** What can be set for the processes of this folder, beside the kernel's settings. */
export const gatewaySettings = defineSettings({
  ...kernelSettings,
  moduleUrls: {
    type: 'list',
    default: [],
    env: 'LANDFALL_MODULES',
    name: 'Modules',
    description: 'In roles: where each module is, as `authority=http://10.0.0.5:4000`.',
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
      'Private networks, as `10.0.0.0/8`, that the addresses which tenants’ administrators name may be in; `none` for none. Unset, this machine alone when Landfall listens and is known on loopback only, none otherwise.',
  },
  databaseConnections: {
    type: 'integer',
    default: 16,
    min: 2,
    max: 500,
    env: 'LANDFALL_DATABASE_CONNECTIONS',
    name: 'Database:Connections',
    description: 'Most connections of this process for tenants; a quarter more serve the work across tenants.',
  },
  logWitnesses: {
    type: 'list',
    default: [],
    env: 'LANDFALL_LOG_WITNESSES',
    name: 'Log:Witnesses',
    description:
      'Who is asked to cosign the transparency log: `<verifier key>=<url>` each, as C2SP tlog-witness has them.',
  },
  rekorUrl: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'LANDFALL_ATTESTATION_REKOR_URL',
    name: 'Attestation:RekorUrl',
    description: 'An external Rekor v2 that each attestation is submitted to after our own log; unset, none is.',
  },
  rekorToken: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_TOKEN',
    name: 'Attestation:RekorToken',
    secret: true,
    description: 'The bearer token that the external log asks for, if it does.',
  },
  rekorKey: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_REKOR_KEY',
    name: 'Attestation:RekorKey',
    description:
      'What signs the external log’s checkpoints: `<origin>+<hash>+<base64>`, an Ed25519 verifier key (C2SP signed-note).',
  },
  costPerRequest: {
    type: 'integer',
    default: 10_000,
    min: 100,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_PER_REQUEST',
    name: 'Cost:PerRequest',
    description: 'The most that one operation of the graph may cost, by the price list at /docs/graph.',
  },
  costPerSecond: {
    type: 'integer',
    default: 20_000,
    min: 1,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_PER_SECOND',
    name: 'Cost:PerSecond',
    description: 'What each caller may spend a second, in each process that answers callers.',
  },
  costBurst: {
    type: 'integer',
    default: 100_000,
    min: 100,
    max: 1_000_000_000,
    env: 'LANDFALL_COST_BURST',
    name: 'Cost:Burst',
    description: 'The most that a caller may spend at once who spent nothing for a while.',
  },
  deploymentLogDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    env: 'LANDFALL_DEPLOYMENT_LOG_DAYS',
    name: 'Deployments:LogDays',
    description: 'Days for which what components wrote while they were deployed is kept.',
  },
  timestampUrl: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'LANDFALL_ATTESTATION_TIMESTAMP_URL',
    name: 'Attestation:TimestampUrl',
    description:
      'A timestamp authority (RFC 3161) that stamps each attestation; unset, the platform stamps them itself.',
  },
  timestampChainFile: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_TIMESTAMP_CHAIN_FILE',
    name: 'Attestation:TimestampChainFile',
    description:
      'Certificates of the authority in PEM, the one that signs first, its root last; chains of earlier ones may follow.',
  },
  ...registryTokenSettings,
  ...searchSettings,
});

export type GatewaySettings = Settings<typeof gatewaySettings>;

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The private networks that tenants' traffic may go to. Throws where the setting cannot be read. */
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

/**
 * The settings of a process: its environment, the files that hold its secrets, and the settings file if there is one.
 * @throws Error that names each variable or setting that cannot be used
 */
export const readGatewaySettings = async (env: SettingsSource['env']): Promise<GatewaySettings> => {
  const source = await settingsSource(env);
  const withSecrets = { ...source, env: await withSecretFiles(gatewaySettings, source.env) };
  return withDatabasePassword(loadSettings(gatewaySettings, withSecrets));
};

/** The modules' addresses by name, without a trailing slash. */
export const moduleUrls = ({ moduleUrls: entries }: Pick<GatewaySettings, 'moduleUrls'>): ReadonlyMap<string, string> =>
  new Map(
    entries.map((entry) => {
      const [, name, url] = /^([a-z-]+)=(.+)$/.exec(entry) ?? [];
      if (name === undefined || url === undefined || !URL.canParse(url))
        throw new Error(`Modules: ${entry} is not name=url.`);
      return [name, url.replace(/\/+$/, '')];
    }),
  );
