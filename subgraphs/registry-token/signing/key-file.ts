import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { openPfx } from './pfx.ts';

/** Operator's own key, with the certificates of its file, the leaf first; none for a bare key. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly chain: readonly X509Certificate[];
}

const SETTING = 'RegistryToken:Signing:Key';

const refuse = (reason: string): Error => new Error(`${SETTING}: ${reason}.`);

const MAX_BYTES = 1024 * 1024;

const readBytes = (path: string): Buffer => {
  try {
    const { size, mode } = statSync(path);
    if (size > MAX_BYTES) throw refuse(`${path} is too large for a key`);
    if ((mode & 0o077) !== 0) throw refuse(`${path} can be read by others; chmod 600 it`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(SETTING)) throw error;
    throw refuse(`${path} cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`);
  }
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Key and certificates of a file, whichever of the two forms it has. */
const contentsOf = (bytes: Buffer, password: string | undefined) => {
  const text = bytes.toString('latin1');
  if (!text.includes('-----BEGIN ')) return openPfx(bytes, password ?? '');
  return {
    key: createPrivateKey({ key: bytes, ...(password !== undefined && { passphrase: password }) }),
    certificates: (text.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem)),
  };
};

const isIssuerOf = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  issuer !== subject && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);

/** The certificates in the order of their issuing, from the one of the key on. */
const chainOf = (key: KeyObject, certificates: readonly X509Certificate[]): readonly X509Certificate[] => {
  if (certificates.length === 0) return [];
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (!leaf) throw refuse('none of the certificates in the file is of its key');
  const chain = [leaf];
  for (let last = leaf; ; ) {
    const next = certificates.find((candidate) => !chain.includes(candidate) && isIssuerOf(candidate, last));
    if (!next) return chain;
    chain.push(next);
    last = next;
  }
};

/** Reads `RegistryToken:Signing:Key`, a P-256 key with its chain. Throws an Error that names the setting. */
export const readSigningKey = (path: string, password: string | undefined): SigningKey => {
  const bytes = readBytes(path);
  const { key, certificates } = (() => {
    try {
      return contentsOf(bytes, password);
    } catch (error) {
      throw refuse(
        `${path} holds no key that opens with its password (${error instanceof Error ? error.message : error})`,
      );
    }
  })();
  // One algorithm works with every registry: ES256.
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw refuse(`the key in ${path} must be of the curve P-256, which every registry takes`);
  return { privateKey: key, chain: chainOf(key, certificates) };
};
