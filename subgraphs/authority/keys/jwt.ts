import { type KeyObject, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson } from '@landfall/kernel/core/json';

/** Payload of a JWT; readers validate each claim. */
export type Claims = JsonObject;

/** Finds a public key of the authority by its `kid`; keys embedded in a header are never used. */
type FindKey = (kid: string) => Promise<KeyObject | undefined>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface Signer {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** Cache of encoded headers by `typ`. */
  readonly heads: Map<string, string>;
}

const headOf = ({ kid, heads }: Signer, typ: string): string => {
  const known = heads.get(typ);
  if (known !== undefined) return known;
  const head = encode({ alg: 'ES256', typ, kid });
  heads.set(typ, head);
  return head;
};

/** Signs a compact JWS by ES256 (RFC 7515, RFC 7518 3.4). */
export const signJwt = (key: Signer, typ: string, claims: Claims): string => {
  const signed = `${headOf(key, typ)}.${encode(claims)}`;
  // The thread pool would cost the event loop more than the signature itself.
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};

/** Longest accepted token, in characters. */
const MAX_LENGTH = 8_192;

/** Decodes canonical base64url only: no padding, white space or stray bits. */
const decodePart = (part: string): Buffer | undefined => {
  const decoded = Buffer.from(part, 'base64url');
  return decoded.toString('base64url') === part ? decoded : undefined;
};

const parsePart = (part: string): Claims | undefined => {
  const value = parseJson(decodePart(part) ?? '');
  return isJsonObject(value) ? value : undefined;
};

/** Verifies the ES256 signature by one of our keys. Expiry and purpose are the caller's to check. */
export const openJwt = async (token: string, findKey: FindKey) => {
  const parts = token.length <= MAX_LENGTH && /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
  if (!parts) return undefined;
  const [, head = '', body = '', tail = ''] = parts;
  const [header, claims, signature] = [parsePart(head), parsePart(body), decodePart(tail)];
  if (!header || !claims || signature?.length !== 64) return undefined;
  const { alg, typ, kid, ...rest } = header;
  // A header of the authority has no other members: `jwk`, `x5c`, `jku` and `crit` come from an attacker.
  if (alg !== 'ES256' || typeof typ !== 'string' || typeof kid !== 'string' || Object.keys(rest).length > 0)
    return undefined;
  const key = await findKey(kid);
  if (!key) return undefined;
  const isOwn = verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return isOwn ? { header, claims } : undefined;
};
