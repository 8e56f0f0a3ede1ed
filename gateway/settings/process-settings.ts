import { readFile } from 'node:fs/promises';
import { isLoopback } from '@landfall/kernel/system/address';
import { defineSettings, type Settings, type SettingsSource } from '@landfall/kernel/system/settings';

const schemes = { web: ['http', 'https'], database: ['postgres', 'postgresql'] } as const;

const port = { type: 'integer', min: 0, max: 65_535 } as const;

/** Settings of every role, whatever modules it runs. */
export const processSettings = defineSettings({
  host: {
    type: 'string',
    default: '127.0.0.1',
    env: 'LANDFALL_HOST',
    name: 'Host',
    description: 'Address that the web, authority and agent listeners bind; the default keeps them on this machine.',
  },
  allowedHosts: {
    type: 'list',
    default: [],
    env: 'LANDFALL_ALLOWED_HOSTS',
    name: 'AllowedHosts',
    description:
      'Names, beside localhost and the public addresses, under which listeners on loopback answer; others get 421.',
  },
  webPort: {
    ...port,
    default: 4000,
    env: 'LANDFALL_PORT',
    name: 'Port',
    description: 'Console, graph and REST paths.',
  },
  authPort: { ...port, default: 4001, env: 'LANDFALL_AUTH_PORT', name: 'Authority:Port', description: 'Authority.' },
  agentPort: { ...port, default: 4002, env: 'LANDFALL_AGENT_PORT', name: 'Agents:Port', description: 'Agents (mTLS).' },
  adminPort: {
    ...port,
    default: 4003,
    env: 'LANDFALL_ADMIN_PORT',
    name: 'Admin:Port',
    description: 'Metrics and profiling, always on loopback.',
  },
  baseUrl: {
    type: 'url',
    schemes: schemes.web,
    env: 'LANDFALL_BASE_URL',
    name: 'BaseUrl',
    description: 'Public address of the web listener; unset, it is made from host and port.',
  },
  authUrl: {
    type: 'url',
    schemes: schemes.web,
    env: 'LANDFALL_AUTH_URL',
    name: 'Authority:Url',
    description: 'Public address of the authority, and the issuer of its tokens; unset, it is made from host and port.',
  },
  agentUrl: {
    type: 'url',
    env: 'LANDFALL_AGENT_URL',
    name: 'Agents:Url',
    description: 'Public address of the agent listener; unset, it is made from host and port.',
  },
  platformDomain: {
    type: 'string',
    default: 'landfall.example',
    env: 'LANDFALL_PLATFORM_DOMAIN',
    name: 'PlatformDomain',
    description: 'Domain inside predicate types and other identifiers that outsiders verify.',
  },
  dataDir: {
    type: 'string',
    default: '.landfall',
    env: 'LANDFALL_DATA_DIR',
    name: 'DataDirectory',
    description: 'Database, keys and objects, unless they are kept elsewhere.',
  },
  configFile: { type: 'string', env: 'LANDFALL_CONFIG', description: 'A settings file in JSON.' },
  databaseUrl: {
    type: 'url',
    schemes: schemes.database,
    env: 'DATABASE_URL',
    name: 'Database:Url',
    secret: true,
    description: 'An external PostgreSQL, version 15 or newer; unset, the embedded one is started.',
  },
  databaseDirectUrl: {
    type: 'url',
    schemes: schemes.database,
    env: 'DATABASE_DIRECT_URL',
    name: 'Database:DirectUrl',
    secret: true,
    description:
      'The same database past a connection pooler, for migrations, LISTEN and session locks. A login here that is not that of `Database:Url` owns the tables; the start makes the other one, which only reads and writes rows.',
  },
  databasePassword: {
    type: 'string',
    env: 'DATABASE_PASSWORD',
    name: 'Database:Password',
    secret: true,
    description: 'Password for `Database:Url` and `Database:DirectUrl`, where the address itself has none.',
  },
  secretKey: {
    type: 'string',
    env: 'LANDFALL_SECRET_KEY',
    secret: true,
    description: 'Root key, 32 bytes in base64 or hex; several, current first, while rotating; unset, a file holds it.',
  },
  attestationKeyFile: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_KEY_FILE',
    name: 'Attestation:KeyFile',
    description:
      'File with the P-256 key that signs attestations: PKCS #8 in PEM, mode 0600; unset, the platform creates one and stores it sealed.',
  },
  attestationPkcs11: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_PKCS11',
    name: 'Attestation:Pkcs11',
    description:
      'The same key in a device: an RFC 7512 URI with `token`, `object` or `id`, `module-path`, `pin-source`.',
  },
  attestationPin: {
    type: 'string',
    env: 'LANDFALL_ATTESTATION_PIN',
    description: 'The PIN of that device, unless its URI has a `pin-source`.',
    secret: true,
  },
  authorityEnabled: {
    type: 'boolean',
    default: true,
    env: 'LANDFALL_AUTHORITY_ENABLED',
    name: 'Authority:Enabled',
    description: 'Off, the scanner policies allow everyone; refused on a reachable listener without `--insecure`.',
  },
  anonymousTenant: {
    type: 'string',
    default: 'default',
    env: 'LANDFALL_ANONYMOUS_TENANT',
    name: 'Authority:AnonymousTenant',
    description: 'Tenant of requests to the scanner without a token, which are admitted while the authority is off.',
  },
  tlsCertificateFile: {
    type: 'string',
    env: 'LANDFALL_TLS_CERT_FILE',
    name: 'Tls:CertificateFile',
    description:
      'PEM chain with which the web and authority listeners speak TLS and request client certificates; unset, they speak plain HTTP, for a proxy in front.',
  },
  tlsKeyFile: {
    type: 'string',
    env: 'LANDFALL_TLS_KEY_FILE',
    name: 'Tls:KeyFile',
    description: 'The key of that certificate, in PEM. Both files are read again every hour.',
  },
  tlsClientCaFile: {
    type: 'string',
    env: 'LANDFALL_TLS_CLIENT_CA_FILE',
    name: 'Tls:ClientCaFile',
    description:
      'Certificate authorities, in PEM, of clients that authenticate by `tls_client_auth` (RFC 8705 2.1); unset, this method is off.',
  },
  trustedProxies: {
    type: 'list',
    default: [],
    env: 'LANDFALL_TRUSTED_PROXIES',
    name: 'Proxies:Trusted',
    description: 'Addresses and subnets of proxies in front of the listeners, as `10.0.0.0/8`.',
  },
  certificateHeader: {
    type: 'string',
    env: 'LANDFALL_CERTIFICATE_HEADER',
    name: 'Proxies:CertificateHeader',
    description:
      'Header in which such a proxy hands over the client’s certificate, as RFC 9440 `client-cert` or as escaped PEM (nginx `$ssl_client_escaped_cert`); ignored from any other sender.',
  },
  addressHeader: {
    type: 'string',
    env: 'LANDFALL_ADDRESS_HEADER',
    name: 'Proxies:AddressHeader',
    description:
      'Header in which such a proxy sends the address of the client, as `x-forwarded-for`; unset, the proxy counts as the client, and back-off counts all its requests together.',
  },
  insecure: {
    type: 'boolean',
    default: false,
    env: 'LANDFALL_INSECURE',
    name: 'Insecure',
    description: 'Accepts settings that the start refuses as unsafe; the flag `--insecure` sets it.',
  },
  graphIntrospection: {
    type: 'boolean',
    env: 'LANDFALL_GRAPH_INTROSPECTION',
    name: 'Graph:Introspection',
    description: 'Whether callers that may query may also read the schema; unset, only on loopback.',
  },
  audience: {
    type: 'string',
    default: 'landfall',
    env: 'LANDFALL_AUDIENCE',
    name: 'Tokens:Audience',
    description: 'Audience of access tokens.',
  },
  requiresDpopNonce: {
    type: 'boolean',
    default: false,
    env: 'LANDFALL_DPOP_NONCE',
    name: 'Tokens:DpopNonce',
    description:
      'Whether every DPoP proof must have a nonce of the server (RFC 9449 8); a nonce that is sent must always be valid.',
  },
  sessionMs: { type: 'duration', default: '24h', name: 'Sessions:Life', description: 'Life of a console session.' },
  sessionIdleMs: {
    type: 'duration',
    default: '8h',
    name: 'Sessions:Idle',
    description: 'Time after which an unused console session ends.',
  },
  drainMs: {
    type: 'duration',
    default: '10s',
    env: 'LANDFALL_DRAIN',
    name: 'Drain',
    description:
      'Time for which a stopping process waits for requests and tasks under way; closing the rest may take as long again.',
  },
  logLevel: {
    type: 'string',
    oneOf: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    env: 'LANDFALL_LOG_LEVEL',
    name: 'Log:Level',
    description: 'Least severity of logged lines.',
  },
  otlpEndpoint: {
    type: 'url',
    schemes: ['http', 'https'],
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    name: 'Telemetry:OtlpEndpoint',
    description:
      'Address of an OpenTelemetry collector that gets the spans by OTLP/HTTP, as `http://127.0.0.1:4318`; `/v1/traces` is appended. Unset, there are none.',
  },
  otlpHeaders: {
    type: 'list',
    default: [],
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    name: 'Telemetry:OtlpHeaders',
    secret: true,
    description: 'Headers for the collector, as `authorization=Bearer%20token`.',
  },
});

export type ProcessSettings = Settings<typeof processSettings>;

const fileRefusal = (path: string, reason: string): Error =>
  new Error(`LANDFALL_CONFIG: ${path} ${reason}; name a settings file in JSON, or unset it.`);

/** Sources of the settings: environment and the file in LANDFALL_CONFIG. Throws if that is unreadable or no JSON. */
export const settingsSource = async (env: SettingsSource['env']): Promise<SettingsSource> => {
  const path = env.LANDFALL_CONFIG;
  if (!path) return { env };
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileRefusal(path, `cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`);
  });
  try {
    const file: unknown = JSON.parse(text);
    return { env, file };
  } catch {
    throw fileRefusal(path, 'is not JSON');
  }
};

/** Adds a password to a database address. Throws an Error when it has one already. */
const withPassword = (variable: string, address: string | undefined, password: string): string | undefined => {
  if (address === undefined) return undefined;
  const url = new URL(address);
  if (url.password !== '')
    throw new Error(`${variable} has a password and DATABASE_PASSWORD is set; keep one of them.`);
  url.password = encodeURIComponent(password);
  return url.href;
};

/** Adds the separately given database password to the database addresses. */
export const withDatabasePassword = <T extends ProcessSettings>(settings: T): T => {
  const { databasePassword: password, databaseUrl, databaseDirectUrl } = settings;
  if (password === undefined) return settings;
  return {
    ...settings,
    databaseUrl: withPassword('DATABASE_URL', databaseUrl, password),
    databaseDirectUrl: withPassword('DATABASE_DIRECT_URL', databaseDirectUrl, password),
  };
};

/** Throws an Error if the authority is disabled on a public address without `insecure` (ruling 6). */
export const refuseExposure = ({ authorityEnabled, host, insecure }: ProcessSettings): void => {
  if (authorityEnabled || insecure || isLoopback(host)) return;
  throw new Error(`Authority:Enabled is false while ${host} is reachable by others; --insecure accepts that.`);
};

/** Public addresses without a trailing slash; absent ones are derived from host and ports. */
export const publicUrls = (settings: ProcessSettings): { baseUrl: string; authUrl: string; agentUrl: string } => {
  const { host } = settings;
  // A wildcard address cannot be connected to.
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  // A browser makes passkeys for names, never for addresses (WebAuthn 3, 5.1.2).
  const name = host === '127.0.0.1' ? 'localhost' : address;
  const trimmed = (url: string): string => url.replace(/\/+$/, '');
  const scheme = settings.tlsCertificateFile === undefined ? 'http' : 'https';
  return {
    baseUrl: trimmed(settings.baseUrl ?? `${scheme}://${name}:${settings.webPort}`),
    authUrl: trimmed(settings.authUrl ?? `${scheme}://${name}:${settings.authPort}`),
    agentUrl: trimmed(settings.agentUrl ?? `https://${address}:${settings.agentPort}`),
  };
};
