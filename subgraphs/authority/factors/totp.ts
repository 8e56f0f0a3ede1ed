import { Secret, TOTP } from 'otpauth';

/** TOTP parameters (RFC 6238) that every authenticator app supports: SHA-1, six digits, 30 s. */
const SHAPE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const WINDOW = 1;
/** Length of the hash's output (RFC 4226 4, R6). */
const SECRET_BYTES = 20;

export const newTotpSecret = (): Uint8Array => new Secret({ size: SECRET_BYTES }).bytes;

const secretOf = (bytes: Uint8Array): Secret => new Secret({ buffer: Uint8Array.from(bytes).buffer });

/** Secret for manual entry, in groups of four. */
export const formatTotpSecret = (bytes: Uint8Array): string => secretOf(bytes).base32.replace(/.{4}(?=.)/g, '$& ');

/** Key URI of the QR code. */
export const totpUri = (bytes: Uint8Array, username: string): string =>
  new TOTP({ issuer: 'Landfall', label: username, secret: secretOf(bytes), ...SHAPE }).toString();

/** Whether a text is six digits, spaces ignored. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code.replace(/\s/g, ''));

/** Time step of a code within the window around `time`; undefined when it matches none. */
export const stepOfCode = (bytes: Uint8Array, code: string, time: Date): number | undefined => {
  const timestamp = time.getTime();
  const token = code.replace(/\s/g, '');
  const delta = TOTP.validate({ token, secret: secretOf(bytes), timestamp, window: WINDOW, ...SHAPE });
  return delta === null ? undefined : TOTP.counter({ period: SHAPE.period, timestamp }) + delta;
};
