import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { CannotCheck } from '@landfall/kernel/operator/command';

/** Request that a proof is bound to (RFC 9449 4.2). */
export interface ProofOf {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly accessToken?: string | undefined;
  readonly nonce?: string | undefined;
}

/** Key that tokens are bound to. It never leaves this machine. */
export interface ProofKey {
  prove(of: ProofOf): string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

/** Creates the key file exclusively, so that two concurrent commands do not bind to different keys. */
const create = async (path: string): Promise<string | undefined> => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(pem);
    return pem;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw new CannotCheck(`${path} cannot be written (${codeOf(error)}); name another file with --key.`);
  }
};

const read = async (path: string): Promise<KeyObject> => {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) throw new CannotCheck(`${path} can be read by others; chmod 600 it.`);
  const key = createPrivateKey(await readFile(path));
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new CannotCheck(`${path} is not a key of the curve P-256.`);
};

/** Opens the key in a file; a missing one is created, readable by its owner alone. */
export const openProofKey = async (path: string): Promise<ProofKey> => {
  const created = await create(path);
  const key = created === undefined ? await read(path) : createPrivateKey(created);
  const { x, y } = createPublicKey(key).export({ format: 'jwk' });
  const head = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: 'EC', crv: 'P-256', x, y } });
  return {
    prove({ method, url, accessToken, nonce }) {
      const claims = {
        jti: randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        ...(accessToken !== undefined && { ath: sha256Bytes(accessToken).toString('base64url') }),
        ...(nonce !== undefined && { nonce }),
      };
      const signed = `${head}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
  };
};
