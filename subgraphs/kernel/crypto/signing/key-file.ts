import { createPrivateKey, type KeyObject } from 'node:crypto';
import { localSigner } from './local-signer.ts';
import { fileRefusal, readPrivateFile } from './private-file.ts';
import type { Signer } from './signer.ts';

const WHAT = 'attestation key';

const parse = (path: string, pem: string): KeyObject => {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // The cause may quote the file.
    throw fileRefusal(path, WHAT, 'is not an unencrypted private key in PEM (PKCS #8)');
  }
};

/**
 * Creates the signer of a PKCS #8 PEM file (RFC 5958, RFC 7468 10).
 * @throws Fault SYS_VAULT_ERROR when others may read the file, or it contains no P-256 key
 */
export const signerOfFile = async (path: string): Promise<Signer> => {
  const key = parse(path, await readPrivateFile(path, WHAT));
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw fileRefusal(path, WHAT, 'is not a P-256 key');
  return localSigner(key);
};
