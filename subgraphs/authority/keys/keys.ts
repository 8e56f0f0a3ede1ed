import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { type Claims, type Signer, signJwt } from './jwt.ts';
import * as store from './keys.store.ts';

interface Ring {
  readonly rows: readonly store.KeyRow[];
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  readonly current: Signer & { readonly since: Date };
  readonly loadedAt: number;
}

/** Cache lifetime of the key ring. A stale ring is harmless, since keys are published long before they sign. */
const RING_MS = 60_000;
/** Shortest interval between reloads caused by unknown key ids. */
const RELOAD_MS = 1_000;

const generate = promisify(generateKeyPair);

const sealName = (kid: string): string => `authority/signing-key/${kid}`;

/** RFC 7638: the thumbprint of the required members in lexical order. */
const thumbprint = (x: string, y: string): string =>
  sha256Bytes(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })).toString('base64url');

/** Public key as GET /oauth/introspect shows it (spec 4.1, RFC 7517). */
const jwkOf = ({ kid, x, y }: store.KeyRow) =>
  ({ kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' }) as const;

const newKey = async ({ secrets }: Pick<Deps, 'secrets'>): Promise<store.NewKey> => {
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const kid = thumbprint(x, y);
  return {
    kid,
    x,
    y,
    sealedPrivate: secrets.seal('', sealName(kid), privateKey.export({ format: 'der', type: 'pkcs8' })),
  };
};

/** Key ring: `next` is published before it signs, `retired` until its last token has expired. */
export const createKeys = ({ database, secrets, clock }: Pick<Deps, 'database' | 'secrets' | 'clock'>) => {
  let cached: Promise<Ring> | undefined;

  /** Creates the first keys; of several processes one succeeds. */
  const bootstrap = async (): Promise<void> => {
    const [first, second] = [await newKey({ secrets }), await newKey({ secrets })];
    await database.system.write(async (tx) => {
      await store.insert(tx, first, 'current');
      await store.insert(tx, second, 'next');
    });
  };

  const read = async (): Promise<Ring> => {
    const rows = await database.system.read(store.list);
    const current = rows.find(({ state }) => state === 'current');
    if (!current || !rows.some(({ state }) => state === 'next')) {
      await bootstrap();
      return read();
    }
    const der = secrets.open('', sealName(current.kid), current.sealedPrivate);
    return {
      rows,
      publicKeys: new Map(
        rows.map((row) => [row.kid, createPublicKey({ key: { ...jwkOf(row) }, format: 'jwk' })] as const),
      ),
      current: {
        kid: current.kid,
        since: current.since,
        heads: new Map(),
        privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
      },
      loadedAt: clock.now().getTime(),
    };
  };

  const load = (): Promise<Ring> => {
    const reading = read();
    cached = reading;
    reading.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading;
  };

  const ring = async (maxAgeMs = RING_MS): Promise<Ring> => {
    const known = await cached;
    return known && clock.now().getTime() - known.loadedAt < maxAgeMs ? known : load();
  };

  /**
   * Retires the current key and promotes the next one. Of several processes at once, one rotates.
   * @param expected the key to retire; the current one unless given
   * @param writeEvent runs in the same transaction
   * @returns whether this call rotated
   */
  const rotate = async (expected?: string, writeEvent?: (tx: Tx) => Promise<void>): Promise<boolean> => {
    const retired = expected ?? (await ring(0)).current.kid;
    const next = await newKey({ secrets });
    const isLeased = await database.system.write(async (tx) => {
      if ((await store.retire(tx, retired)) === 0) return false;
      await store.promote(tx);
      await store.insert(tx, next, 'next');
      await writeEvent?.(tx);
      return true;
    });
    await load();
    return isLeased;
  };

  return {
    /** The public half of a key of the ring, for verification in the same process. */
    find: async (kid: string): Promise<KeyObject | undefined> =>
      (await ring()).publicKeys.get(kid) ?? (await ring(RELOAD_MS)).publicKeys.get(kid),
    jwks: async () => ({ keys: (await ring()).rows.map(jwkOf) }),
    list: async () => (await ring(0)).rows.map(({ kid, state, since }) => ({ kid, state, since })),
    /** Signs claims with the current key; `typ` is the header's. */
    sign: async (typ: string, claims: Claims): Promise<string> => signJwt((await ring()).current, typ, claims),
    rotate,
    /** Rotates when the current key has signed for longer than `afterMs`; deletes retired keys after `retentionMs`. */
    async keepFresh({
      afterMs,
      keptMs: retentionMs,
    }: {
      readonly afterMs: number;
      readonly keptMs: number;
    }): Promise<void> {
      await database.system.write((tx) => store.prune(tx, retentionMs));
      if ((await ring(0)).current.since.getTime() + afterMs <= clock.now().getTime()) await rotate();
    },
  };
};

export type Keys = ReturnType<typeof createKeys>;
