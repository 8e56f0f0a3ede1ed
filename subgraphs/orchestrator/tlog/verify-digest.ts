import { createPublicKey, type KeyObject } from 'node:crypto';

/**
 * ECDSA over P-256 (FIPS 186-5 6.4.2) against a digest whose message nobody has here: what Node offers hashes first. Only
 * public values pass through, so that nothing has to be done in constant time.
 */

const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const G: Affine = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
};

interface Affine {
  readonly x: bigint;
  readonly y: bigint;
}

/** x/z², y/z³; z is 0 at infinity. */
interface Jacobian extends Affine {
  readonly z: bigint;
}

const INFINITY: Jacobian = { x: 1n, y: 1n, z: 0n };

const mod = (value: bigint, by: bigint): bigint => {
  const rest = value % by;
  return rest < 0n ? rest + by : rest;
};

const inverse = (value: bigint, by: bigint): bigint => {
  let [a, b, x, y] = [mod(value, by), by, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b % a, a, y - quotient * x, x];
  }
  return mod(x, by);
};

/** With a = -3 (RFC 6090 F; dbl-2001-b). */
const double = ({ x, y, z }: Jacobian): Jacobian => {
  const delta = mod(z * z, P);
  const gamma = mod(y * y, P);
  const beta = mod(x * gamma, P);
  const alpha = mod(3n * (x - delta) * (x + delta), P);
  const nextX = mod(alpha * alpha - 8n * beta, P);
  return {
    x: nextX,
    y: mod(alpha * (4n * beta - nextX) - 8n * gamma * gamma, P),
    z: mod((y + z) * (y + z) - gamma - delta, P),
  };
};

const add = (a: Jacobian, b: Jacobian): Jacobian => {
  if (a.z === 0n) return b;
  if (b.z === 0n) return a;
  const [za, zb] = [mod(a.z * a.z, P), mod(b.z * b.z, P)];
  const [ua, ub] = [mod(a.x * zb, P), mod(b.x * za, P)];
  const [sa, sb] = [mod(a.y * zb * b.z, P), mod(b.y * za * a.z, P)];
  const [h, r] = [mod(ub - ua, P), mod(sb - sa, P)];
  if (h === 0n) return r === 0n ? double(a) : INFINITY;
  const [hh, v] = [mod(h * h, P), mod(ua * h * h, P)];
  const x = mod(r * r - hh * h - 2n * v, P);
  return { x, y: mod(r * (v - x) - sa * hh * h, P), z: mod(a.z * b.z * h, P) };
};

/** i·G + j·Q, both walked at once. */
const combine = (i: bigint, j: bigint, q: Affine): Jacobian => {
  const [g, key] = [
    { ...G, z: 1n },
    { ...q, z: 1n },
  ];
  const both = add(g, key);
  let sum = INFINITY;
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = double(sum);
    const [isG, isQ] = [(i >> bit) & 1n, (j >> bit) & 1n];
    if (isG && isQ) sum = add(sum, both);
    else if (isG) sum = add(sum, g);
    else if (isQ) sum = add(sum, key);
  }
  return sum;
};

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);

/** The two numbers of a DER signature in its one spelling; undefined for any other bytes. */
const parseSignature = (der: Uint8Array): { readonly r: bigint; readonly s: bigint } | undefined => {
  const hex = /^30([0-9a-f]{2})02([0-9a-f]{2})/.exec(Buffer.from(der).toString('hex'));
  const rLength = Number.parseInt(hex?.[2] ?? '0', 16);
  const r = der.subarray(4, 4 + rLength);
  const s = der.subarray(6 + rLength);
  const isFramed = Number.parseInt(hex?.[1] ?? '0', 16) === der.length - 2 && der[4 + rLength] === 2;
  const isLong = der[5 + rLength] === s.length && r.length === rLength;
  const isNumber = ([first = 0x80, second = 0, ...rest]: Uint8Array): boolean =>
    first < 0x80 && (first !== 0 || second >= 0x80) && rest.length <= 31;
  return isFramed && isLong && isNumber(r) && isNumber(s) ? { r: numberOf(r), s: numberOf(s) } : undefined;
};

/** A P-256 public key of its SPKI in DER; undefined for any other bytes. */
export const p256Key = (spki: Buffer): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const isExact = key.export({ format: 'der', type: 'spki' }).equals(spki);
    return isExact && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a DER signature over a message with this SHA-256 digest is the key's. */
export const verifyDigest = (digest: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
  const { r, s } = parseSignature(signature) ?? { r: 0n, s: 0n };
  if (crv !== 'P-256' || digest.length !== 32 || r <= 0n || r >= N || s <= 0n || s >= N) return false;
  const w = inverse(s, N);
  const point = { x: numberOf(Buffer.from(x, 'base64url')), y: numberOf(Buffer.from(y, 'base64url')) };
  const sum = combine(mod(numberOf(digest) * w, N), mod(r * w, N), point);
  if (sum.z === 0n) return false;
  const z = inverse(sum.z, P);
  return mod(mod(sum.x * z * z, P), N) === r;
};
