import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type Check, fail, pass, warn } from '@landfall/kernel/operator/check';
import { isLoopback } from '@landfall/kernel/system/address';
import { settingsOf } from '@landfall/kernel/system/settings';
import { orchestratorSettings } from '@landfall/orchestrator';
import { searchSettings } from '@landfall/search';
import { type ListenPort, portsOf } from '../process/ports.ts';
import { publicUrls } from '../settings/process-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';

const DAY_MS = 86_400_000;
/** Days before expiry from which a certificate's renewal is late. */
const WARN_DAYS = 14;
const ANSWER_MS = 2_000;

const isFree = ({ host, port }: ListenPort): Promise<boolean> =>
  new Promise((finished) => {
    const server = createServer();
    server.once('error', () => finished(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => finished(true)));
  });

/** Checks whether this installation holds the web port, by a request to its own address. */
const isOwn = async ({ host, webPort, tlsCertificateFile }: GatewaySettings): Promise<boolean> => {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
  if (tlsCertificateFile !== undefined) return false;
  try {
    const { request } = await import('undici');
    const { body } = await request(`http://${name}:${webPort}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return (await body.text()) === 'Healthy';
  } catch {
    return false;
  }
};

const ports: Check<GatewaySettings> = {
  id: 'ports',
  title: 'The listeners’ ports are free, or held by this server',
  meaning:
    'The web, authority, agent and admin listeners each need a port. One that another program holds stops the start.',
  remedy:
    'Stop the other program, or set `LANDFALL_PORT`, `LANDFALL_AUTH_PORT`, `LANDFALL_AGENT_PORT`, `LANDFALL_ADMIN_PORT`.',
  inspect: async ({ settings }) => {
    const requested = portsOf({ kind: 'all-in-one' }, settings).filter(({ port }) => port !== 0);
    const inUse: ListenPort[] = [];
    for (const port of requested) if (!(await isFree(port))) inUse.push(port);
    if (inUse.length === 0) return pass(`${requested.map(({ port }) => port).join(', ')} are free: no server runs`);
    const names = inUse.map(({ setting, port }) => `${port} (${setting})`).join(', ');
    if (await isOwn(settings)) return pass(`a server answers on ${settings.webPort}`);
    return inUse.length === requested.length
      ? warn(`${names} are taken, by a server or by others`)
      : fail(`${names} taken`);
  },
};

const exposure: Check<GatewaySettings> = {
  id: 'exposure',
  title: 'Listeners that others can reach use TLS',
  meaning:
    'Passwords and tokens travel on the web and authority listeners. On an address that others reach they need TLS, by the server itself or by a proxy in front.',
  remedy:
    'Set `LANDFALL_TLS_CERT_FILE` and `LANDFALL_TLS_KEY_FILE`, or put a proxy in front and name it in `LANDFALL_TRUSTED_PROXIES`; give the public address in `LANDFALL_BASE_URL`.',
  inspect: async ({ settings }) => {
    const { host, tlsCertificateFile, trustedProxies } = settings;
    if (isLoopback(host)) return pass(`listens on ${host} only`);
    if (tlsCertificateFile !== undefined) return pass(`listens on ${host}, TLS of its own`);
    if (trustedProxies.length === 0) return fail(`listens on ${host} without TLS and without a trusted proxy`);
    const { baseUrl } = publicUrls(settings);
    return baseUrl.startsWith('https:') ? pass(`behind a proxy, as ${baseUrl}`) : warn(`${baseUrl} is not https`);
  },
};

const certificate: Check<GatewaySettings> = {
  id: 'tls-certificate',
  title: 'The TLS certificate is good for a while',
  meaning: 'Once it has ended, browsers, clients and registries refuse to talk to this server.',
  remedy: 'Renew it into the same file: both files are read again every hour.',
  inspect: async ({ settings, now }) => {
    const { tlsCertificateFile: path } = settings;
    if (path === undefined) return pass('no certificate of its own');
    try {
      const { validTo } = new X509Certificate(await readFile(path));
      const days = Math.floor((Date.parse(validTo) - now().getTime()) / DAY_MS);
      const summary = `${path} ends in ${days} days`;
      return days < 0 ? fail(`${path} ended ${-days} days ago`) : days < WARN_DAYS ? warn(summary) : pass(summary);
    } catch (error) {
      return fail(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  },
};

const platformDomain: Check<GatewaySettings> = {
  id: 'platform-domain',
  title: 'The platform’s domain is the operator’s own',
  meaning:
    'It stands in predicate types and names the transparency log: outsiders verify by it, and a later change begins another log.',
  remedy: 'Set `LANDFALL_PLATFORM_DOMAIN` before the first release is promoted.',
  inspect: async ({ settings }) => {
    const { platformDomain: domain, host } = settings;
    if (!domain.endsWith('.example')) return pass(domain);
    return isLoopback(host) ? pass(`${domain}, on loopback`) : warn(`${domain} is nobody’s domain`);
  },
};

const outside: Check<GatewaySettings> = {
  id: 'egress',
  title: 'Addresses outside that this installation calls',
  meaning:
    'Beside registries and vaults that integrations name, a server asks these addresses. In a sealed environment each must be allowed.',
  remedy:
    'Let the addresses through the firewall and the environment’s egress rules, or take them out of the settings.',
  inspect: async ({ settings }) => {
    const { rekorUrl, timestampUrl, logWitnesses } = settingsOf(orchestratorSettings, settings);
    const { synthesisModelUrl } = settingsOf(searchSettings, settings);
    const witnesses = logWitnesses.flatMap((entry) => /=(https?:\/\/[^/]+)/.exec(entry)?.[1] ?? []);
    const configured = [rekorUrl, timestampUrl, synthesisModelUrl].filter((url) => url !== undefined).concat(witnesses);
    const hosts = [...new Set(configured.map((url) => new URL(url).host))];
    return pass(hosts.length === 0 ? 'nothing by its settings' : hosts.join(', '));
  },
};

const authority: Check<GatewaySettings> = {
  id: 'authority',
  title: 'Callers prove who they are',
  meaning: 'With `LANDFALL_AUTHORITY_ENABLED=false` the scanner’s routes let everybody in.',
  remedy: 'Take the setting away, unless this machine is nobody else’s.',
  inspect: async ({ settings }) => {
    if (settings.authorityEnabled) return pass('the authority is on');
    return isLoopback(settings.host) ? warn('the authority is off, on loopback') : fail('the authority is off');
  },
};

export const networkChecks: readonly Check<GatewaySettings>[] = [
  ports,
  exposure,
  certificate,
  platformDomain,
  authority,
  outside,
];
