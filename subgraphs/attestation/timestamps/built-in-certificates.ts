import 'reflect-metadata';
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { ...algorithm, hash: 'SHA-256' };
/** Validity of a chain in years, long enough for statements to verify after the key was rotated. */
const YEARS = 20;
const YEAR_MS = 365 * 86_400_000;

/** Certificates of one key of the built-in authority, DER. */
interface TimestampChain {
  readonly certificate: Buffer;
  readonly root: Buffer;
}

const newSerial = (): string => `01${randomBytes(15).toString('hex')}`;

const publicCryptoKey = (key: KeyObject) => key.toCryptoKey(algorithm, true, ['verify']);

const derOf = ({ rawData }: x509.X509Certificate): Buffer => Buffer.from(rawData);

/**
 * Creates the certificate of a key for timestamps only (RFC 3161 2.3), under a root of its own, since clients require a
 * leaf and an authority. The root's private key exists only in this function, so that no other certificate can be
 * issued under it.
 * @param begin start of the key's period
 */
export const createTimestampChain = async (
  key: KeyObject,
  { begin, platformDomain }: { readonly begin: Date; readonly platformDomain: string },
): Promise<TimestampChain> => {
  const { privateKey: rootKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rootKeys = {
    privateKey: rootKey.toCryptoKey(algorithm, false, ['sign']),
    publicKey: publicCryptoKey(createPublicKey(rootKey)),
  };
  const period = { notBefore: begin, notAfter: new Date(begin.getTime() + YEARS * YEAR_MS) };
  const organization = `O=${platformDomain}`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: `CN=Landfall timestamp root, ${organization}`,
    ...period,
    signingAlgorithm,
    keys: rootKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const publicKey = publicCryptoKey(key);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: `CN=Landfall timestamps, ${organization}`,
    issuer: root.subject,
    ...period,
    signingAlgorithm,
    publicKey,
    signingKey: rootKeys.privateKey,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.timeStamping], true),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return { certificate: derOf(certificate), root: derOf(root) };
};
