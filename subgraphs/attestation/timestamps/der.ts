/** DER encoder for the ASN.1 types of timestamps (X.690). */

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
};

export const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);

/** Encodes a SET OF, whose members DER orders by their encoding. */
export const setOf = (...members: readonly Buffer[]): Buffer => der(0x31, ...members.toSorted(Buffer.compare));

export const octetString = (bytes: Uint8Array): Buffer => der(0x04, bytes);

export const tagged = (number: number, ...parts: readonly Uint8Array[]): Buffer => der(0xa0 + number, ...parts);

/** Encodes a non-negative integer, given by its bytes without leading zeros. */
export const integer = (bytes: Uint8Array): Buffer =>
  der(0x02, ...((bytes[0] ?? 0) >= 0x80 || bytes.length === 0 ? [Buffer.of(0)] : []), bytes);

const base128 = (arc: number): number[] => {
  const digits = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
};

/** Encodes an object identifier such as `1.2.840.113549`. */
export const oid = (text: string): Buffer => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
};

export const generalizedTime = (time: Date): Buffer =>
  der(0x18, Buffer.from(time.toISOString().replace(/[-:T]|\.\d+/g, '')));
