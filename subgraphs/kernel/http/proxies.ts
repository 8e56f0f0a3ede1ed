import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { parseSubnets } from '../system/address.ts';
import { valuesOf } from './request-headers.ts';

/** Trusted proxies in front of the listeners. */
export interface Proxies {
  isTrusted(address: string | undefined): boolean;
}

/** Creates the trusted proxies from addresses and subnets. Throws an Error that names the setting if one is neither. */
export const createProxies = (proxies: readonly string[]): Proxies => {
  const subnets = parseSubnets('Proxies:Trusted', proxies);
  return { isTrusted: (address) => address !== undefined && subnets.holds(address) };
};

/** Client address: the peer's or, behind a trusted proxy, the last one in `header` that is no trusted proxy's. */
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
