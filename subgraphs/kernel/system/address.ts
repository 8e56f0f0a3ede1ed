import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

type Subnet = readonly [network: string, prefix: number];

const subnets = (v4: readonly Subnet[], v6: readonly Subnet[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of v4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of v6) list.addSubnet(network, prefix, 'ipv6');
  return list;
};

// A list of IPv4 subnets also contains their IPv4-mapped IPv6 addresses (RFC 4291 2.5.5.2).
const holds = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const loopback = subnets([['127.0.0.0', 8]], [['::1', 128]]);

const unspecified = subnets([['0.0.0.0', 8]], [['::', 128]]);

/** Ranges that are always refused: link-local, cloud metadata (fd00:ec2::254), multicast, unspecified, reserved. */
const never = subnets(
  [
    ['0.0.0.0', 8],
    ['169.254.0.0', 16],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  [
    ['::', 128],
    ['fd00:ec2::254', 128],
    ['fe80::', 10],
    ['ff00::', 8],
  ],
);

/** Ranges that RFC 6890's registries do not call globally reachable, beside `never`. */
const special = subnets(
  [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ],
  [
    ['2001::', 23],
    ['2001:db8::', 32],
    // A 6to4 address contains an IPv4 address, which may be any.
    ['2002::', 16],
    ['3fff::', 20],
  ],
);

const globalUnicast = subnets([], [['2000::', 3]]);

/** Reach of an IP address: on the internet, on this machine or a private network, or in a range always refused. */
type Reach = 'public' | 'private' | 'never';

/** Reach of an IP literal without brackets: public, private, link-local or this machine. */
export const reachOf = (address: string): Reach => {
  if (holds(never, address)) return 'never';
  if (holds(special, address)) return 'private';
  return isIP(address) === 6 && !holds(globalUnicast, address) ? 'private' : 'public';
};

/** Age in milliseconds at which the addresses of the interfaces are read again: reading them costs 70 µs. */
const INTERFACES_MS = 1_000;
let interfaces: { readonly readAt: number; readonly list: BlockList } | undefined;

/** Addresses of this machine's interfaces, at most a second old. */
const interfaceAddresses = (): BlockList => {
  const now = performance.now();
  if (interfaces && now - interfaces.readAt < INTERFACES_MS) return interfaces.list;
  const list = new BlockList();
  for (const each of Object.values(networkInterfaces()).flat())
    if (each) list.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  interfaces = { readAt: now, list };
  return list;
};

/** Whether an IP literal without brackets leads to this machine: loopback, or an address of one of its interfaces. */
export const isOwnAddress = (address: string): boolean =>
  holds(loopback, address) || holds(unspecified, address) || holds(interfaceAddresses(), address);

/** Whether a host name or IP literal (brackets allowed) means this machine only. Names are never resolved. */
export const isLoopback = (host: string): boolean => {
  const plain = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(plain) === 0) return plain === 'localhost' || plain.endsWith('.localhost');
  return holds(loopback, plain);
};

/** Subnets that an operator lists in a setting. */
export interface Subnets {
  /** Whether an IP literal without brackets is in one of them. */
  holds(address: string): boolean;
}

/** Parses a setting's addresses and subnets, such as `10.0.0.0/8`. Throws an Error that names the setting. */
export const parseSubnets = (setting: string, entries: readonly string[]): Subnets => {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix, ...rest] = entry.split('/');
    const longest = isIP(address) === 6 ? 128 : 32;
    const isFit = isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix ?? '0');
    if (!isFit || Number(prefix ?? 0) > longest)
      throw new Error(`${setting}: ${entry} is neither an IP address nor a subnet such as 10.0.0.0/8.`);
    list.addSubnet(address, prefix === undefined ? longest : Number(prefix), longest === 128 ? 'ipv6' : 'ipv4');
  }
  return { holds: (address) => isIP(address) !== 0 && holds(list, address) };
};
