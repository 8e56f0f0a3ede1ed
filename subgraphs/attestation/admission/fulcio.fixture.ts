// A certificate authority like Fulcio.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { createKeys, IDENTITY, ISSUER, type Keys, SIGNED_AT } from './signers.fixture.ts';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const;

const signingAlgorithm = { ...ecdsa, hash: 'SHA-256' };

const cryptoKeys = ({ publicKey, privateKey }: Keys) => ({
  publicKey: publicKey.toCryptoKey(ecdsa, true, ['verify']),
  privateKey: privateKey.toCryptoKey(ecdsa, true, ['sign']),
});

/** Builds the certificate extension 1.3.6.1.4.1.57264.1.8: the issuer as a UTF8String in DER. */
const issuerExtension = (issuer: string): x509.Extension =>
  new x509.Extension(
    '1.3.6.1.4.1.57264.1.8',
    false,
    Buffer.concat([Buffer.of(12, issuer.length), Buffer.from(issuer)]),
  );

export interface Leaf {
  readonly keys: Keys;
  readonly certificate: Buffer;
  readonly pem: string;
}

interface LeafOptions {
  readonly issuer?: string;
  readonly names?: readonly string[];
  readonly usages?: readonly string[];
  /** Time of the signature, in seconds. */
  readonly at?: number;
}

const nameKind = (name: string): 'url' | 'email' => (name.includes('://') ? 'url' : 'email');

const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

export const createFulcio = async () => {
  const keys = createKeys();
  const { publicKey, privateKey } = cryptoKeys(keys);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(8).toString('hex')}`,
    name: 'CN=Test certificate authority',
    notBefore: new Date('2025-01-01T00:00:00Z'),
    notAfter: new Date('2035-01-01T00:00:00Z'),
    signingAlgorithm,
    keys: { publicKey, privateKey },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return {
    certificate: Buffer.from(authority.rawData),
    /** Issues a certificate for ten minutes, as Fulcio does. */
    async issue({
      issuer = ISSUER,
      names = [IDENTITY],
      usages = [CODE_SIGNING],
      at = SIGNED_AT,
    }: LeafOptions = {}): Promise<Leaf> {
      const own = createKeys();
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: `01${randomBytes(8).toString('hex')}`,
        issuer: authority.subject,
        notBefore: new Date((at - 60) * 1000),
        notAfter: new Date((at + 540) * 1000),
        signingAlgorithm,
        publicKey: cryptoKeys(own).publicKey,
        signingKey: privateKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: nameKind(value), value })),
            true,
          ),
          new x509.ExtendedKeyUsageExtension([...usages]),
          await x509.AuthorityKeyIdentifierExtension.create(publicKey),
          issuerExtension(issuer),
        ],
      });
      return { keys: own, certificate: Buffer.from(leaf.rawData), pem: leaf.toString('pem') };
    },
  };
};
