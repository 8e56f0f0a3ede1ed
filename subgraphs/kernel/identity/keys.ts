import { importJWK, type JWK } from 'jose';
import type { Clock } from '../core/clock.ts';
import { Fault } from '../core/fault.ts';
import type { HttpClient } from '../http/client.ts';

export interface Keys {
  /** @throws Fault SYS_SERVICE_UNAVAILABLE when there is no key to look at. */
  find(kid: string): Promise<CryptoKey | undefined>;
}

/** Source of the key set: the authority in the same process, or its published JWKS. */
export type KeySet = () => Promise<readonly JWK[]>;

interface KeysOptions {
  readonly clock: Clock;
  /** Lifetime of a set; a key that is withdrawn verifies tokens no longer than this. */
  readonly maxAgeMs?: number;
  /** Minimum pause in milliseconds between two reloads that an unknown `kid` causes, since anyone can invent one. */
  readonly coolDownMs?: number;
}

const isSigningKey = (jwk: JWK): jwk is JWK & { kid: string } =>
  jwk.kty === 'EC' && jwk.crv === 'P-256' && jwk.kid !== undefined && (jwk.use ?? 'sig') === 'sig';

const importAll = async (jwks: readonly JWK[]): Promise<ReadonlyMap<string, CryptoKey>> => {
  const imported = await Promise.all(
    jwks.filter(isSigningKey).map(async ({ kid, crv = '', x = '', y = '' }) => {
      const key = await importJWK({ kty: 'EC', crv, x, y }, 'ES256');
      return key instanceof CryptoKey ? ([kid, key] as const) : undefined;
    }),
  );
  return new Map(imported.filter((entry) => entry !== undefined));
};

/** Keys by `kid`, kept in memory for at most `maxAgeMs`, or longer while the set cannot be read. */
export const createKeys = (read: KeySet, options: KeysOptions): Keys => {
  const { clock, maxAgeMs = 300_000, coolDownMs = 10_000 } = options;
  let keys: ReadonlyMap<string, CryptoKey> | undefined;
  let triedAt = -Infinity;
  let reading: Promise<void> | undefined;

  const refresh = (): Promise<void> => {
    triedAt = clock.now().getTime();
    reading ??= read()
      .then(importAll)
      .then((found) => {
        keys = found;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    async find(kid) {
      const known = keys?.get(kid);
      const age = clock.now().getTime() - triedAt;
      if (reading || !keys || age >= (known ? maxAgeMs : coolDownMs))
        await refresh().catch((cause: unknown) => {
          if (keys) return;
          const message = 'The keys of the authority cannot be read.';
          throw new Fault('SYS_SERVICE_UNAVAILABLE', message, undefined, [], { cause });
        });
      return keys?.get(kid);
    },
  };
};

const isKeySet = (value: unknown): value is { keys: JWK[] } =>
  typeof value === 'object' &&
  value !== null &&
  'keys' in value &&
  Array.isArray(value.keys) &&
  value.keys.every((key: unknown) => typeof key === 'object' && key !== null && 'kty' in key);

const fetchJson = async (client: HttpClient, url: string, correlationId: string): Promise<unknown> => {
  const answer = await client.send({
    url,
    correlationId,
    plainHttp: 'anywhere',
    maxBytes: 65_536,
    timeouts: { total: 5_000 },
  });
  if (answer.kind !== 'response') throw new Error(`${url}: ${answer.kind}: ${answer.message}`);
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
  return JSON.parse(answer.body.toString());
};

/** URL of an issuer's metadata (RFC 8414 3.1): before the path of its name, if that has one. */
const metadataOf = (issuer: string): string => {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
};

/** Key set of an issuer, found through its metadata (RFC 8414). Throws an Error for another issuer's metadata. */
export const issuerKeySet =
  (
    client: HttpClient,
    { issuer, metadataUrl }: { readonly issuer: string; readonly metadataUrl?: string | undefined },
    correlationId: () => string,
  ): KeySet =>
  async () => {
    const url = metadataUrl ?? metadataOf(issuer);
    const metadata = await fetchJson(client, url, correlationId());
    const member = (name: string): unknown =>
      typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, name) : undefined;
    const [named, jwksUri] = [member('issuer'), member('jwks_uri')];
    // RFC 8414 3.3: a document that names another issuer is refused.
    if (named !== issuer || typeof jwksUri !== 'string') throw new Error(`${url} is not the metadata of ${issuer}.`);
    const set = await fetchJson(client, jwksUri, correlationId());
    if (!isKeySet(set)) throw new Error(`${jwksUri} answered no key set.`);
    return set.keys;
  };

/** JWKS that the authority publishes at `GET {auth_url}/oauth/introspect` (spec 4.1). */
export const publishedKeySet =
  (client: HttpClient, authUrl: string, correlationId: () => string): KeySet =>
  async () => {
    const url = `${authUrl}/oauth/introspect`;
    const set = await fetchJson(client, url, correlationId());
    if (!isKeySet(set)) throw new Error(`${url} answered no key set.`);
    return set.keys;
  };
