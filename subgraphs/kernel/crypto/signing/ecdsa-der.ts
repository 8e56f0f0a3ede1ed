/** A positive INTEGER in DER: no leading zeros but the one that keeps it positive. */
const integer = (bytes: Buffer): Buffer => {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(start === -1 ? bytes.length - 1 : start);
  const content = digits.readUInt8(0) > 0x7f ? Buffer.concat([Buffer.of(0), digits]) : digits;
  return Buffer.concat([Buffer.of(0x02, content.length), content]);
};

/**
 * ECDSA-Sig-Value (RFC 3279 2.2.3) of a P-256 signature that a device gave as r and s side by side, 32 bytes each
 * (PKCS #11 6.3.1).
 * @throws RangeError when there are not 64 bytes
 */
export const ecdsaDer = (raw: Buffer): Buffer => {
  if (raw.length !== 64) throw new RangeError(`A raw P-256 signature has 64 bytes, not ${raw.length}.`);
  const content = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
};
