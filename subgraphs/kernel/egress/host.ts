import { isIP } from 'node:net';
import { isLoopback, reachOf } from '../system/address.ts';

/** Name of at most 253 characters whose last label begins with a letter and that has no part for IDNA to judge. */
const PLAIN_NAME = /^(?!.*(?:^|\.)xn--)(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;
/** Characters that end a host in a URL, or that the URL parser drops. */
const NO_HOST = /[\s/?#@\\:]|\p{Cc}/u;

/** IPv4 address in an IPv4-mapped IPv6 address, as the URL parser writes it; other addresses as they are. */
const unmapped = (address: string): string => {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
};

/**
 * Host in the one form that policies compare: an IP literal without brackets, or a name in lower-case ASCII without the
 * dot of the root. Octal and hexadecimal IPv4 and IPv4-mapped IPv6 become dotted IPv4. Undefined for what is no host.
 */
export const normalHost = (text: string): string | undefined => {
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const host = plain.endsWith('.') ? plain.slice(0, -1) : plain;
  if (host.length <= 253 && PLAIN_NAME.test(host)) return host;
  const isV6 = isIP(host) === 6;
  if (host === '' || host.endsWith('.') || (!isV6 && NO_HOST.test(host))) return undefined;
  const found = URL.parse(`http://${isV6 ? `[${host}]` : host}/`)?.hostname.replace(/^\[|\]$/g, '');
  // A dot of another script becomes one of the root.
  const name = found?.endsWith('.') ? found.slice(0, -1) : found;
  if (name === undefined || name === '' || name.endsWith('.') || name.length > 253) return undefined;
  return unmapped(name);
};

/** Class of an address: `special` is link-local, multicast, reserved or translated, and is never private. */
export type AddressClass = 'loopback' | 'private' | 'special' | 'public';

const privateV4 = (address: string): boolean => {
  const [first = 0, second = 0] = address.split('.', 2).map(Number);
  return (
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 100 && second >= 64 && second < 128)
  );
};

/** Class of an IP literal in its normal form (proofs: 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7 are private). */
export const classOf = (address: string): AddressClass => {
  if (isLoopback(address)) return 'loopback';
  const reach = reachOf(address);
  if (reach !== 'private') return reach === 'public' ? 'public' : 'special';
  return (isIP(address) === 4 ? privateV4(address) : /^f[cd]/.test(address)) ? 'private' : 'special';
};

const bitsOfV4 = (address: string): bigint =>
  BigInt(address.split('.').reduce((bits, part) => bits * 256 + Number(part), 0));

const groups = (text: string): readonly bigint[] =>
  text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));

/** Bits of an IP literal in its normal form, which writes IPv6 in hexadecimal groups only. */
export const bitsOf = (address: string): { readonly bits: bigint; readonly width: 32 | 128 } => {
  if (isIP(address) === 4) return { bits: bitsOfV4(address), width: 32 };
  const [head = '', tail] = address.split('::');
  const [before, behind] = [groups(head), groups(tail ?? '')];
  const missing = Array.from({ length: 8 - before.length - behind.length }, () => 0n);
  return { bits: [...before, ...missing, ...behind].reduce((bits, group) => (bits << 16n) | group, 0n), width: 128 };
};
