import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { readIfThere, writeAtomic } from './atomic-file.ts';

const identity = Type.Object({
  agentId: Type.String({ format: 'uuid' }),
  certificate: Type.String(),
  ca: Type.String(),
  renewAfter: Type.String({ format: 'date-time' }),
});

export type Identity = Static<typeof identity>;

const shape = Compile(identity);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Opens the agent's key and certificate in its state directory. The key is created here and never leaves the host. */
export const openIdentity = async (directory: string) => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const keyFile = join(directory, 'agent.key');
  const identityFile = join(directory, 'identity.json');
  const stored = await readIfThere(keyFile);
  const privateKey =
    stored ??
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (stored === undefined) await writeAtomic(keyFile, privateKey);

  return {
    privateKey,
    /** Reads certificate and authority; undefined before the first registration. */
    async read(): Promise<Identity | undefined> {
      const value: unknown = JSON.parse((await readIfThere(identityFile)) ?? 'null');
      return shape.Check(value) ? value : undefined;
    },
    write: (value: Identity): Promise<void> => writeAtomic(identityFile, JSON.stringify(value)),
    /** Creates a certificate request (PKCS #10, RFC 2986), PEM, signed by the agent's key. */
    async request(name: string): Promise<string> {
      // Loaded for each request, a few in a year: it is a fifth of what a start would load.
      await import('reflect-metadata');
      const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
      const key = createPrivateKey(privateKey);
      const keys = {
        privateKey: key.toCryptoKey(algorithm, false, ['sign']),
        publicKey: createPublicKey(key).toCryptoKey(algorithm, true, ['verify']),
      };
      const signingAlgorithm = { ...algorithm, hash: 'SHA-256' };
      const request = await Pkcs10CertificateRequestGenerator.create({ name: `CN=${name}`, keys, signingAlgorithm });
      return request.toString('pem');
    },
  };
};

export type IdentityStore = Awaited<ReturnType<typeof openIdentity>>;
