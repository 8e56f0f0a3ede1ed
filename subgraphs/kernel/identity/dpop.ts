import { createHmac } from 'node:crypto';
import { createBatch } from '../core/batch.ts';
import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import { isJsonObject, type JsonObject, parseJson } from '../core/json.ts';
import { createLru } from '../core/lru.ts';
import { sha256Bytes } from '../crypto/digest.ts';
import { constantTimeEqual, type Secrets } from '../crypto/secrets.ts';
import type { Database } from '../db/database.ts';
import * as store from './dpop.store.ts';
import { type ProofKey, proofKeyOf } from './dpop-key.ts';

/** Proof of a request that it holds a key (RFC 9449 4). */
export interface ProofRequest {
  /** The `DPoP` headers; a list when there are several, nothing when there is none. */
  readonly proof: string | readonly string[] | undefined;
  readonly method: string;
  /** URL of the endpoint from configuration, never from Host or Forwarded headers; query and fragment are ignored. */
  readonly url: string;
  /** The access token that came along: the proof must name it (`ath`). */
  readonly accessToken?: string | undefined;
  /** Thumbprint of the required key, if known; proofs by other keys are refused before they are recorded. */
  readonly jkt?: string | undefined;
}

interface DpopSettings {
  /** Whether a proof must carry a server nonce; a nonce that is present must be valid in any case. */
  readonly requiresNonce: boolean;
}

interface Proof {
  /** Header and payload as they were signed. */
  readonly input: string;
  readonly signature: Buffer;
  readonly key: ProofKey;
  readonly claims: JsonObject;
}

/** Largest distance of `iat` from now in seconds, either way. */
const LEEWAY = 60;
/** Retention of used proofs, longer than their validity: clocks of processes and database differ. */
const RETENTION_MS = 300_000;
/** Node takes 16 KiB of headers; the longest proof that is any good, RSA with 4096 bits, has under 2,500 characters. */
const MAX_LENGTH = 4_096;
const MAX_JTI_LENGTH = 128;
const WINDOW_MS = 150_000;
/** Number of time windows for which a nonce stays valid after its own. */
const OLDER_WINDOWS = 2;
const MAX_CACHED_KEYS = 1_000;

const refused = (message: string): Fault => new Fault('invalid_dpop_proof', message);

const decode = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw refused('The DPoP proof is not canonical base64url.');
  return bytes;
};

const parse = (part: string): JsonObject => {
  const value = parseJson(decode(part));
  if (isJsonObject(value)) return value;
  throw refused('The DPoP proof is not a signed JWT.');
};

/** Cache of imported keys by proof header: a client sends the same header with each proof. */
const createProofKeys = (): ((head: string) => ProofKey) => {
  const keyCache = createLru<string, ProofKey>({ most: MAX_CACHED_KEYS });
  return (head) => {
    const known = keyCache.get(head);
    if (known) return known;
    const header = parse(head);
    if (header.typ !== 'dpop+jwt' || 'crit' in header) throw refused('The header is not that of a DPoP proof.');
    const key = proofKeyOf(header);
    if (!key) throw refused('The header of the DPoP proof holds no public key of its algorithm.');
    keyCache.set(head, key);
    return key;
  };
};

const readProof = (proof: string, keyOf: (head: string) => ProofKey): Proof => {
  const parts = proof.length <= MAX_LENGTH ? /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(proof) : null;
  if (!parts) throw refused('The DPoP header is not one signed JWT.');
  const [, head = '', body = '', tail = ''] = parts;
  return { input: `${head}.${body}`, signature: decode(tail), key: keyOf(head), claims: parse(body) };
};

/** RFC 3986 6.2.2: unreserved characters stand for themselves, escapes are in capitals. */
const unescaped = (path: string): string =>
  path.replace(/%[\da-f]{2}/gi, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : triplet.toUpperCase();
  });

/** Scheme, authority and path of a URL in one spelling. */
const normal = (url: string): string | undefined => {
  const { username, password, origin, pathname } = URL.parse(url) ?? {};
  const isPlain = username === '' && password === '';
  return isPlain ? `${origin}${unescaped(pathname ?? '')}` : undefined;
};

const isSameUrl = (htu: unknown, url: string): boolean => {
  if (typeof htu !== 'string') return false;
  if (htu === url) return true;
  const requested = normal(url);
  return requested !== undefined && normal(htu) === requested;
};

const isJti = (value: unknown): value is string => typeof value === 'string' && /^[ -~]{1,128}$/.test(value);

/** @throws Fault invalid_dpop_proof when the proof was made for another request or another time */
const checkClaims = ({ claims }: Proof, { method, url, accessToken }: ProofRequest, now: Date): void => {
  const { htm, htu, iat, ath } = claims;
  if (htm !== method) throw refused('The DPoP proof is for another method (htm).');
  if (!isSameUrl(htu, url)) throw refused('The DPoP proof is for another address (htu).');
  if (typeof iat !== 'number' || !(Math.abs(now.getTime() / 1000 - iat) <= LEEWAY))
    throw refused('The DPoP proof is from another time (iat).');
  if (accessToken !== undefined && ath !== sha256Bytes(accessToken).toString('base64url'))
    throw refused('The DPoP proof is for another access token (ath).');
};

/** Nonces that no table holds: a keyed hash of the time, so that every process knows those of the others. */
const createNonces = (secrets: Secrets, clock: Clock) => {
  const keys = secrets.deriveAll('dpop-nonce');
  const created = (key: Buffer | undefined, window: number): string =>
    createHmac('sha256', key ?? '')
      .update(String(window))
      .digest('base64url')
      .slice(0, 22);
  const windowNow = (): number => Math.floor(clock.now().getTime() / WINDOW_MS);
  let latest = { window: NaN, nonce: '' };
  return {
    current(): string {
      const window = windowNow();
      if (window !== latest.window) latest = { window, nonce: created(keys[0], window) };
      return latest.nonce;
    },
    isGood(nonce: unknown): boolean {
      if (typeof nonce !== 'string') return false;
      const now = windowNow();
      // One window ahead, because another process's clock may be.
      const windows = Array.from({ length: OLDER_WINDOWS + 2 }, (_, age) => now + 1 - age);
      return keys.some((key) => windows.some((window) => constantTimeEqual(created(key, window), nonce)));
    },
  };
};

/**
 * Creates the check of DPoP proofs (RFC 9449) for the edge, the authority's endpoints and the registry token service.
 */
export const createDpop = (
  { database, clock, secrets }: { readonly database: Database; readonly clock: Clock; readonly secrets: Secrets },
  { requiresNonce }: DpopSettings,
) => {
  const keyOf = createProofKeys();
  const nonces = createNonces(secrets, clock);

  /** Whether the proof is used for the first time; of several uses at once one is the first. */
  const isFirst = createBatch<store.Used, boolean>(async (used) => {
    const fresh = new Set(
      (await database.system.read((query) => store.insert(query, used))).map(({ jkt, jti }) => `${jkt} ${jti}`),
    );
    return used.map(({ jkt, jti }) => fresh.delete(`${jkt} ${jti}`));
  });

  const checkNonce = (nonce: unknown): void => {
    if (nonce === undefined ? !requiresNonce : nonces.isGood(nonce)) return;
    throw new Fault('use_dpop_nonce', 'The DPoP proof needs the nonce of the DPoP-Nonce header.', {
      nonce: nonces.current(),
    });
  };

  const check = async (dpopProof: string, request: ProofRequest): Promise<string> => {
    const proof = readProof(dpopProof, keyOf);
    const { key, claims } = proof;
    const { jti } = claims;
    if (!isJti(jti)) throw refused(`The jti of the DPoP proof is not 1 to ${MAX_JTI_LENGTH} visible characters.`);
    const now = clock.now();
    checkClaims(proof, request, now);
    if (request.jkt !== undefined && request.jkt !== key.jkt) throw refused('The DPoP proof is by another key.');
    if (!key.signed(proof.input, proof.signature)) throw refused('The signature of the DPoP proof is wrong.');
    checkNonce(claims.nonce);
    if (!(await isFirst({ jkt: key.jkt, jti, expiresAt: new Date(now.getTime() + RETENTION_MS) })))
      throw refused('The DPoP proof was used before.');
    return key.jkt;
  };

  return {
    /** Value for `DPoP-Nonce` (RFC 9449 8.2), valid for at least five minutes. */
    nonce: nonces.current,
    /**
     * Thumbprint (RFC 7638) of the key that the request proves; undefined without a proof.
     * @throws Fault invalid_dpop_proof, use_dpop_nonce with `details.nonce`
     */
    async prove(request: ProofRequest): Promise<string | undefined> {
      const [first, ...rest] = [request.proof ?? []].flat();
      if (rest.length > 0) throw refused('The request carries several DPoP headers.');
      return first === undefined ? undefined : check(first, request);
    },
  };
};

export type Dpop = ReturnType<typeof createDpop>;
