import { createDecipheriv, createPrivateKey, type KeyObject, pbkdf2Sync, X509Certificate } from 'node:crypto';

/** DER value (ITU-T X.690), referring to the input's bytes. */
interface Der {
  readonly tag: number;
  readonly whole: Buffer;
  readonly content: Buffer;
}

const fail = (reason: string): Error => new Error(`PFX: ${reason}`);

const readOne = (bytes: Buffer, from: number): { value: Der; next: number } => {
  const [tag = 0, first] = [bytes[from], bytes[from + 1]];
  if (first === undefined || first === 0x80 || first > 0x84) throw fail('not DER');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = from + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : start <= bytes.length ? bytes.readUIntBE(from + 2, lengthBytes) : -1;
  const next = start + length;
  if (length < 0 || next > bytes.length) throw fail('cut short');
  return { value: { tag, whole: bytes.subarray(from, next), content: bytes.subarray(start, next) }, next };
};

const childrenOf = ({ content }: Der): Der[] => {
  const children: Der[] = [];
  for (let index = 0; index < content.length; ) {
    const { value, next } = readOne(content, index);
    children.push(value);
    index = next;
  }
  return children;
};

/** The child at a place, and below it. */
const down = (from: Der, ...indexes: readonly number[]): Der =>
  indexes.reduce((value, byte) => {
    const child = childrenOf(value)[byte];
    if (!child) throw fail('a part is missing');
    return child;
  }, from);

const oidOf = ({ content }: Der): string => content.toString('hex');

// Object identifiers as their DER contents: PKCS #7 (RFC 2315), PKCS #12 (RFC 7292), PKCS #5 (RFC 8018), AES (NIST).
const DATA = '2a864886f70d010701';
const ENCRYPTED_DATA = '2a864886f70d010706';
const KEY_BAG = '2a864886f70d010c0a0101';
const SHROUDED_KEY_BAG = '2a864886f70d010c0a0102';
const CERTIFICATE_BAG = '2a864886f70d010c0a0103';
const PBES2 = '2a864886f70d01050d';
const PBKDF2 = '2a864886f70d01050c';
const DIGESTS: Readonly<Record<string, string>> = {
  '2a864886f70d0207': 'sha1',
  '2a864886f70d0209': 'sha256',
  '2a864886f70d020b': 'sha512',
};
const CIPHERS: Readonly<Record<string, readonly [name: string, keyBytes: number]>> = {
  '60864801650304012a': ['aes-256-cbc', 32],
  '608648016503040116': ['aes-192-cbc', 24],
  '608648016503040102': ['aes-128-cbc', 16],
};
const MAX_ITERATIONS = 10_000_000;

/** Decrypts with PBES2 (RFC 8018 6.2), the password-based encryption that current tools write. */
const decrypt = (algorithm: Der, encrypted: Buffer, password: string): Buffer => {
  const [name, parameters] = childrenOf(algorithm);
  if (!name || !parameters || oidOf(name) !== PBES2)
    throw fail('its encryption is an outdated one; write it anew with openssl 3: openssl pkcs12 -export');
  const [kdf, scheme] = childrenOf(parameters);
  if (!kdf || !scheme || oidOf(down(kdf, 0)) !== PBKDF2) throw fail('its key derivation is not PBKDF2');
  const [salt, count, ...optional] = childrenOf(down(kdf, 1));
  const prf = optional.find(({ tag }) => tag === 0x30);
  const digest = prf ? DIGESTS[oidOf(down(prf, 0))] : 'sha1';
  const cipher = CIPHERS[oidOf(down(scheme, 0))];
  const iterations = count ? Number.parseInt(count.content.toString('hex'), 16) : 0;
  if (!salt || !digest || !cipher || !(iterations > 0 && iterations <= MAX_ITERATIONS))
    throw fail('its encryption is not known here');
  const key = pbkdf2Sync(password, salt.content, iterations, cipher[1], digest);
  const decipher = createDecipheriv(cipher[0], key, down(scheme, 1).content);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
};

/** The bags of one part: plain, or encrypted by the password. */
const bagsOf = (part: Der, password: string): Der[] => {
  const type = oidOf(down(part, 0));
  if (type === DATA) return childrenOf(readOne(down(part, 1, 0).content, 0).value);
  if (type !== ENCRYPTED_DATA) throw fail('a part is encrypted for a recipient, not by a password');
  const [, algorithm, encrypted] = childrenOf(down(part, 1, 0, 1));
  if (!algorithm || !encrypted) throw fail('a part is missing');
  return childrenOf(readOne(decrypt(algorithm, encrypted.content, password), 0).value);
};

const keyOf = (bag: Der, password: string): KeyObject | undefined => {
  const type = oidOf(down(bag, 0));
  if (type !== KEY_BAG && type !== SHROUDED_KEY_BAG) return undefined;
  return createPrivateKey({ key: down(bag, 1, 0).whole, format: 'der', type: 'pkcs8', passphrase: password });
};

const certificateOf = (bag: Der): X509Certificate | undefined =>
  oidOf(down(bag, 0)) === CERTIFICATE_BAG ? new X509Certificate(down(bag, 1, 0, 1, 0).content) : undefined;

/**
 * Key and certificates of a PFX (PKCS #12, RFC 7292). The password protects the key. The MAC is not checked, since
 * a person who can write the file can also configure another one.
 * @throws Error that says why it cannot be read
 */
export const openPfx = (bytes: Buffer, password: string): { key: KeyObject; certificates: X509Certificate[] } => {
  const safe = down(readOne(bytes, 0).value, 1);
  if (oidOf(down(safe, 0)) !== DATA) throw fail('it is signed, not protected by a password');
  const parts = childrenOf(readOne(down(safe, 1, 0).content, 0).value);
  const bags = parts.flatMap((part) => bagsOf(part, password));
  const [key] = bags.flatMap((bag) => keyOf(bag, password) ?? []);
  if (!key) throw fail('there is no key in it');
  return { key, certificates: bags.flatMap((bag) => certificateOf(bag) ?? []) };
};
