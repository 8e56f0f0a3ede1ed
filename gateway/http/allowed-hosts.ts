import { isLoopback } from '@landfall/kernel/system/address';
import { type ProcessSettings, publicUrls } from '../settings/process-settings.ts';

/** Checks whether a listener serves a host name; undefined for a request without one, which no browser sends. */
export type ServesHost = (host: string | undefined) => boolean;

/** Limit of cached host names: below `localhost` there are arbitrarily many. */
const MAX_NAMES = 100;

/** Name in a Host header, without the port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

/** Creates a listener's check of host names, against DNS rebinding to a service on loopback. */
export const servedHosts = (settings: ProcessSettings): ServesHost => {
  const { baseUrl, authUrl, agentUrl } = publicUrls(settings);
  const named = new Set(
    [...[baseUrl, authUrl, agentUrl].map((url) => new URL(url).host), ...settings.allowedHosts].map((host) =>
      host.toLowerCase(),
    ),
  );
  const isServed = (host: string): boolean =>
    isLoopback(hostName(host)) ||
    named.has(host.toLowerCase()) ||
    settings.allowedHosts.some((allowed) => allowed.toLowerCase() === hostName(host));
  /** Cache of served names; refused ones are checked each time. */
  const known = new Set<string>();
  return (host) => {
    if (host === undefined || known.has(host)) return true;
    if (!isServed(host)) return false;
    if (known.size < MAX_NAMES) known.add(host);
    return true;
  };
};
