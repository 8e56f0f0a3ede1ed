import { createHash, X509Certificate } from 'node:crypto';

/**
 * Registration token: `lfa_<secret>.<pin>`. The secret is 32 random bytes in base64url, of which the server stores only
 * the hash; the pin is the SHA-256 of the certificate authority's public key (SubjectPublicKeyInfo, RFC 7469 2.4).
 */
type RegistrationToken = Readonly<{ secret: string; pin: string }>;

const shape = /^lfa_(?<secret>[A-Za-z0-9_-]{43})\.(?<pin>[A-Za-z0-9_-]{43})$/;

export const formatToken = ({ secret, pin }: RegistrationToken): string => `lfa_${secret}.${pin}`;

/** Parses a registration token; undefined if the text is none. */
export const parseToken = (text: string): RegistrationToken | undefined => {
  const { secret, pin } = shape.exec(text.trim())?.groups ?? {};
  return secret === undefined || pin === undefined ? undefined : { secret, pin };
};

/** Hash that the server stores of a token's secret. */
export const tokenHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Pin of a certificate's key, given in PEM or DER. */
export const pinOf = (certificate: string | Buffer): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
