import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type webcrypto } from 'node:crypto';
import { serverName } from '@landfall/agent/protocol/messages';
import { pinOf } from '@landfall/agent/protocol/token';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import type { Database } from '@landfall/kernel/db/database';
import * as x509 from '@peculiar/x509';
import * as store from './certificate-authority.store.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { ...algorithm, hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const CA_YEARS = 10;
const SERVER_DAYS = 90;
/** Validity of an agent's certificate: 24 hours (orchestrator 3.6). */
export const AGENT_CERTIFICATE_MS = DAY_MS;
/** Time by which a certificate is backdated, in milliseconds, since clocks differ. */
const BACKDATE_MS = 60_000;

interface Subject {
  readonly tenant: string;
  readonly agentId: string;
  readonly spiffeId: string;
}

interface Signer {
  readonly certificate: x509.X509Certificate;
  readonly pem: string;
  readonly key: webcrypto.CryptoKey;
}

const refused = (message: string, cause?: unknown): Fault =>
  new Fault('AGT_CERTIFICATE_FAILED', message, undefined, [], { cause });

/** Creates a serial of 121 bits. Its first byte is not zero: DER drops leading zeros, and it is compared as text. */
const newSerial = (): string => `01${randomBytes(15).toString('hex')}`;

const importKey = (pem: string) => createPrivateKey(pem).toCryptoKey(algorithm, false, ['sign']);

const newKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
  };
};

/** Reads the public key of a certificate request that proves possession of it. The requested subject is ignored. */
const keyOfRequest = async (pem: string): Promise<x509.PublicKey> => {
  try {
    const request = new x509.Pkcs10CertificateRequest(pem);
    const { algorithm: of } = request.publicKey;
    if (of.name !== 'ECDSA' || !('namedCurve' in of) || of.namedCurve !== 'P-256')
      throw refused('The key of a certificate request must be P-256.');
    if (await request.verify()) return request.publicKey;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw refused('The certificate request cannot be read (PKCS #10).', error);
  }
  throw refused('The certificate request is not signed by its own key.');
};

export type CertificateAuthority = ReturnType<typeof createCertificateAuthority>;

interface AuthorityDeps {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Creates the agents' certificate authority: one for an installation, its key stored sealed by the root key. */
export const createCertificateAuthority = ({ database, secrets, clock }: AuthorityDeps) => {
  const after = (ms: number): Date => new Date(clock.now().getTime() + ms);
  const notBefore = (): Date => after(-BACKDATE_MS);

  const createAuthority = async (): Promise<{ certificate: string; key: string }> => {
    const { pem, keys } = newKey();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: newSerial(),
      name: 'CN=Landfall agents',
      notBefore: notBefore(),
      notAfter: after(CA_YEARS * 365 * DAY_MS),
      signingAlgorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return { certificate: certificate.toString('pem'), key: pem };
  };

  /** Loads the authority. The first process creates it; the others read it. */
  const load = async (): Promise<Signer> => {
    if (!(await database.system.read(store.find))) {
      const { certificate, key } = await createAuthority();
      const sealedKey = secrets.seal('', 'agent-authority', key);
      await database.system.write((tx) => store.insert(tx, { certificate, sealedKey }));
    }
    const row = await database.system.read(store.find);
    if (!row) throw new TypeError('the agents’ certificate authority was written and is not there');
    const key = importKey(secrets.open('', 'agent-authority', row.sealedKey).toString());
    return { certificate: new x509.X509Certificate(row.certificate), pem: row.certificate, key };
  };

  let signer: Promise<Signer> | undefined;
  const ready = (): Promise<Signer> => {
    signer ??= load().catch((error: unknown) => {
      signer = undefined;
      throw error;
    });
    return signer;
  };

  const issue = async (
    publicKey: x509.PublicKey | webcrypto.CryptoKey,
    name: string,
    notAfter: Date,
    extensions: readonly x509.Extension[],
  ): Promise<{ certificate: x509.X509Certificate; serial: string }> => {
    const { certificate: ca, key } = await ready();
    const serial = newSerial();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial,
      subject: name,
      issuer: ca.subject,
      notBefore: notBefore(),
      notAfter,
      signingAlgorithm,
      publicKey,
      signingKey: key,
      extensions: [new x509.BasicConstraintsExtension(false, undefined, true), ...extensions],
    });
    return { certificate, serial };
  };

  return {
    certificate: async (): Promise<string> => (await ready()).pem,
    pin: async (): Promise<string> => pinOf((await ready()).pem),

    /** @throws Fault AGT_CERTIFICATE_FAILED */
    async sign(csr: string, { agentId, spiffeId }: Subject) {
      const publicKey = await keyOfRequest(csr);
      const notAfter = after(AGENT_CERTIFICATE_MS);
      const { certificate, serial } = await issue(publicKey, `CN=${agentId}`, notAfter, [
        new x509.SubjectAlternativeNameExtension([{ type: 'url', value: spiffeId }]),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth], true),
      ]);
      return { pem: certificate.toString('pem'), serial, notAfter, publicKey: publicKey.toString('pem') };
    },

    /** Issues key and certificate chain for the agents' listener; each process has its own. */
    async server(): Promise<{ key: string; cert: string; ca: string }> {
      const { pem, keys } = newKey();
      const { certificate } = await issue(keys.publicKey, `CN=${serverName}`, after(SERVER_DAYS * DAY_MS), [
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: serverName }]),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth], true),
      ]);
      const ca = (await ready()).pem;
      return { key: pem, cert: `${certificate.toString('pem')}\n${ca}`, ca };
    },
  };
};
