import 'reflect-metadata';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { ...algorithm, hash: 'SHA-256' };

const DAY_MS = 86_400_000;
const AUTHORITY_MS = 3_650 * DAY_MS;
/** Lifetime of a leaf; it is renewed earlier. */
const LEAF_MS = 90 * DAY_MS;
/** Backdating of certificates, for registries whose clocks are behind. */
const BACKDATE_MS = DAY_MS;

/** A positive serial number of 121 bits. Its first byte is never zero: DER drops those. */
const newSerial = (): string => `01${randomBytes(15).toString('hex')}`;

export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Thumbprint of a P-256 key (RFC 7638). */
export const thumbprintOf = (key: KeyObject): string => {
  const { x, y } = createPublicKey(key).export({ format: 'jwk' });
  return sha256Bytes(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })).toString('base64url');
};

export const exportKey = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'pkcs8' });
export const importKey = (der: Buffer): KeyObject => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });

const publicKeyOf = (key: KeyObject) => createPublicKey(key).toCryptoKey(algorithm, true, ['verify']);

/** Issues the certificate of the authority, which registries trust. */
export const issueAuthority = async (key: KeyObject, now: Date): Promise<X509Certificate> => {
  const keys = { privateKey: key.toCryptoKey(algorithm, false, ['sign']), publicKey: publicKeyOf(key) };
  const created = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: 'CN=Landfall registry tokens',
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(now.getTime() + AUTHORITY_MS),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return new X509Certificate(Buffer.from(created.rawData));
};

/** Issues a leaf that signs tokens, below an authority and never valid for longer than it. */
export const issueLeaf = async (
  key: KeyObject,
  authority: { readonly certificate: X509Certificate; readonly key: KeyObject },
  now: Date,
): Promise<X509Certificate> => {
  const above = new x509.X509Certificate(authority.certificate.raw);
  const notAfter = Math.min(now.getTime() + LEAF_MS, above.notAfter.getTime());
  const created = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: 'CN=Landfall registry token signer',
    issuer: above.subject,
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(notAfter),
    signingAlgorithm,
    publicKey: publicKeyOf(key),
    signingKey: authority.key.toCryptoKey(algorithm, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.AuthorityKeyIdentifierExtension.create(above.publicKey),
    ],
  });
  return new X509Certificate(Buffer.from(created.rawData));
};
