import { isIPv6 } from 'node:net';

/** Length of an IPv6 network in 16-bit groups: a /64 is assigned as one (RFC 6177). */
const GROUPS = 4;

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Network that an address counts as: the /64 of an IPv6 address, else the address itself. */
export const networkOf = (address: string): string => {
  const [plain = ''] = address.split('%', 1);
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return address;
  // The URL standard writes an address in one way: hexadecimal groups, and the longest run of zeros left out.
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, GROUPS).join(':')}::/64`;
};
