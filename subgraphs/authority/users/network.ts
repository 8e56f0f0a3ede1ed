import { isIPv6 } from 'node:net';

/** Groups of 16 bits that a provider hands out as one: whoever has one address of a /64 has them all (RFC 6177). */
const GROUPS = 4;

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What an address is counted as: itself, or the /64 of an IPv6 address. Anything else stays what it is. */
export const networkOf = (address: string): string => {
  const [bare = ''] = address.split('%', 1);
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return address;
  // The URL standard writes an address in one way: hexadecimal groups, and the longest run of zeros left out.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, GROUPS).join(':')}::/64`;
};
