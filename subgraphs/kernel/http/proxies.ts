import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { parseSubnets } from '../system/address.ts';
import { valuesOf } from './request-headers.ts';

/** Trusted proxies in front of the listeners. */
export interface Proxies {
  isTrusted(address: string | undefined): boolean;
}

/**
 * @param proxies addresses and subnets, as `10.0.0.0/8`
 * @throws Error that names the setting when one is neither
 */
export const createProxies = (proxies: readonly string[]): Proxies => {
  const subnets = parseSubnets('Proxies:Trusted', proxies);
  return { isTrusted: (address) => address !== undefined && subnets.holds(address) };
};

/**
 * Client address of a request: the peer's or, for a trusted proxy, the last address in `header` that is not a
 * trusted proxy. Earlier addresses are untrusted.
 */
export const createAddresses =
  (proxies: Proxies, header: string | undefined) =>
  (request: IncomingMessage): string => {
    const peer = request.socket.remoteAddress ?? '';
    if (header === undefined || !proxies.isTrusted(peer)) return peer;
    const named = valuesOf(request, header)
      .flatMap((value) => value.split(','))
      .map((address) => address.trim());
    const from = named.findLast((address) => !proxies.isTrusted(address));
    return from !== undefined && isIP(from) !== 0 ? from : peer;
  };
