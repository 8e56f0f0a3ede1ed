/** Random bytes in hexadecimal; `crypto.randomUUID` is missing on plain HTTP. */
export const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
