import { createPrivateKey, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Fault } from '../fault.ts';
import { localSigner } from './local-signer.ts';
import type { Signer } from './signer.ts';

const maxBytes = 65_536;

const refusal = (path: string, reason: string, cause?: unknown): Fault =>
  new Fault('SYS_VAULT_ERROR', `The attestation key ${path} ${reason}.`, undefined, [], { cause });

// Mode, length and text are those of one open file, whatever becomes of its name meanwhile.
const read = async (path: string): Promise<string> => {
  await using file = await open(path, 'r').catch((error: unknown) => {
    throw refusal(path, 'cannot be opened', error);
  });
  const { mode, size } = await file.stat();
  if ((mode & 0o077) !== 0) throw refusal(path, 'is open to others; set its mode to 0600');
  if (size > maxBytes) throw refusal(path, 'is too large for a key');
  return file.readFile('utf8');
};

const parse = (path: string, pem: string): KeyObject => {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // The cause may quote the file.
    throw refusal(path, 'is not an unencrypted private key in PEM (PKCS #8)');
  }
};

/**
 * The signer of a PKCS #8 PEM file (RFC 5958, RFC 7468 10).
 * @throws Fault SYS_VAULT_ERROR when others may read the file, or it holds no P-256 key
 */
export const signerOfFile = async (path: string): Promise<Signer> => {
  const key = parse(path, await read(path));
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw refusal(path, 'is not a P-256 key');
  return localSigner(key);
};
