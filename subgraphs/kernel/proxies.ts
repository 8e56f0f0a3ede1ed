import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { valuesOf } from './arrival.ts';

/** Proxies in front of the listeners, whose word about a request counts. */
export interface Proxies {
  isTrusted(address: string | undefined): boolean;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * @param proxies addresses and subnets, as `10.0.0.0/8`
 * @throws Error that names the setting when one is neither
 */
export const createProxies = (proxies: readonly string[]): Proxies => {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix, ...more] = proxy.split('/');
    const longest = isIP(address) === 6 ? 128 : 32;
    const isFit = isIP(address) !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix ?? '0');
    if (!isFit || Number(prefix ?? 0) > longest)
      throw new Error(`Proxies:Trusted: ${proxy} is neither an IP address nor a subnet such as 10.0.0.0/8.`);
    list.addSubnet(address, prefix === undefined ? longest : Number(prefix), familyOf(address));
  }
  return {
    isTrusted: (address) => address !== undefined && isIP(address) !== 0 && list.check(address, familyOf(address)),
  };
};

/**
 * The address that a request came from: the peer's, or, when that is a trusted proxy, the last one in `header` that is no
 * such proxy. What stands before it was written by whoever that is.
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
