import { createPrivateKey } from 'node:crypto';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { readPrivateFile } from '@landfall/kernel/crypto/signing/private-file';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { CannotCheck, callersPath, readText, type Terminal, UsageError } from '@landfall/kernel/operator/command';
import { keysOf, type SignedRoot } from '../roots/root.ts';

/** Signer of a private key in PEM that nobody else may read. */
export const signerOf = async (path: string, terminal: Pick<Terminal, 'env'>): Promise<Signer> => {
  const pem = await readPrivateFile(callersPath(path, terminal), 'key');
  try {
    return localSigner(createPrivateKey(pem));
  } catch {
    // The cause may quote the file.
    throw new CannotCheck(`${path} is not an unencrypted private key in PEM: Ed25519 or P-256.`);
  }
};

/** Signers of the keys of a command line, of which there is at least one. */
export const signersOf = async (
  paths: readonly string[],
  terminal: Pick<Terminal, 'env'>,
): Promise<[Signer, ...Signer[]]> => {
  const signers: Signer[] = [];
  for (const path of paths) signers.push(await signerOf(path, terminal));
  const [first, ...others] = signers;
  if (!first) throw new UsageError('--key is missing.');
  return [first, ...others];
};

/** Signers of a command line, each by a key of the root that counts. @throws CannotCheck */
export const rootSignersOf = async (
  paths: readonly string[],
  { value }: SignedRoot,
  terminal: Pick<Terminal, 'env'>,
) => {
  const signers = await signersOf(paths, terminal);
  const keyIds = keysOf(value).map(({ keyId }) => keyId);
  const foreign = signers.findIndex(({ keyId }) => !keyIds.includes(keyId));
  if (foreign === -1) return signers;
  throw new CannotCheck(`${paths[foreign]} is none of the keys of root ${value.version} that count.`);
};

/** Text of a file of any length that the operator names. @throws CannotCheck */
export const readFileOf = (path: string, terminal: Pick<Terminal, 'env'>): Promise<string> =>
  readText(path, terminal, Number.POSITIVE_INFINITY);
