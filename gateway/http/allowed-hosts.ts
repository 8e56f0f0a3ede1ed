import { isLoopback } from '@landfall/kernel/system/address';
import { type ProcessSettings, publicUrls } from '../settings/process-settings.ts';

/** Whether a listener answers under a name; undefined where a request has none, which no browser sends. */
export type ServesHost = (host: string | undefined) => boolean;

/** As many names as are remembered: under `localhost` anybody can make up more. */
const MOST_NAMES = 100;

/** The name of a Host header, without its port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

/**
 * The names under which a listener that only this machine reaches may be called. Any other name is a page's own whose
 * address has been turned to this machine (DNS rebinding), and that page's scripts would read the answers.
 */
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
  /** Names that were served before, the few that there are: what is refused is looked at each time. */
  const known = new Set<string>();
  return (host) => {
    if (host === undefined || known.has(host)) return true;
    if (!isServed(host)) return false;
    if (known.size < MOST_NAMES) known.add(host);
    return true;
  };
};
