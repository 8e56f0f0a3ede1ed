import { type KeyObject, sign, verify } from 'node:crypto';

/** Payload of a JWT; readers validate each claim. */
export type Claims = Readonly<Record<string, unknown>>;

interface Jwt {
  readonly header: Claims;
  readonly claims: Claims;
}

/** Finds the public key that a `kid` names in the authority's own ring; a header can bring no key along. */
type FindKey = (kid: string) => Promise<KeyObject | undefined>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signing key. */
export interface Signer {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** Encoded headers by `typ`: the same with each token of the key. */
  readonly heads: Map<string, string>;
}

const headOf = ({ kid, heads }: Signer, typ: string): string => {
  const known = heads.get(typ);
  if (known !== undefined) return known;
  const head = encode({ alg: 'ES256', typ, kid });
  heads.set(typ, head);
  return head;
};

/** A compact JWS by ES256 (RFC 7515, RFC 7518 3.4). */
export const signJwt = (key: Signer, typ: string, claims: Claims): string => {
  const signed = `${headOf(key, typ)}.${encode(claims)}`;
  // Handing the work to libuv's pool and back takes the event loop longer than these microseconds of P-256 do.
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};

const isClaims = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longest accepted token, in characters. */
const LONGEST = 8_192;

/** Decodes canonical base64url only: no padding, white space or stray bits. */
const decodePart = (part: string): Buffer | undefined => {
  const decoded = Buffer.from(part, 'base64url');
  return decoded.toString('base64url') === part ? decoded : undefined;
};

const parsePart = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(decodePart(part)?.toString() ?? '');
    return isClaims(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Verifies the ES256 signature by one of our keys. Expiry and purpose are the caller's to check. */
export const openJwt = async (token: string, findKey: FindKey): Promise<Jwt | undefined> => {
  const parts = token.length <= LONGEST && /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
  if (!parts) return undefined;
  const [, head = '', body = '', tail = ''] = parts;
  const [header, claims, signature] = [parsePart(head), parsePart(body), decodePart(tail)];
  if (!header || !claims || signature?.length !== 64) return undefined;
  const { alg, typ, kid, ...rest } = header;
  // A header of ours says nothing else: `jwk`, `x5c`, `jku`, `crit` and their kind are somebody else's.
  if (alg !== 'ES256' || typeof typ !== 'string' || typeof kid !== 'string' || Object.keys(rest).length > 0)
    return undefined;
  const key = await findKey(kid);
  if (!key) return undefined;
  const isOurs = verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return isOurs ? { header, claims } : undefined;
};
