import { createPublicKey } from 'node:crypto';
import { exactBase64 } from '@landfall/attestation/signature/signed-note';
import { Fault } from '@landfall/kernel/core/fault';
import { type Digest, sha256Hex } from '@landfall/kernel/crypto/digest';
import { identityOf } from '@landfall/kernel/crypto/signing/local-signer';
import { digest, instant } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { countSigners, documentsOf, type PublicKey, type SignedDocument } from './signed-document.ts';

/** Media type of a root of kits. */
const ROOT_TYPE = 'application/vnd.landfall.kit-root+json;version=1';

const closed = { additionalProperties: false } as const;

const rootSchema = Type.Object(
  {
    version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    /** Number of keys whose signatures a root or a kit needs. */
    threshold: Type.Integer({ minimum: 1, maximum: 16 }),
    /** Public keys: SubjectPublicKeyInfo in base64, P-256 or Ed25519. */
    keys: Type.Array(Type.String({ maxLength: 1_024 }), { minItems: 1, maxItems: 16, uniqueItems: true }),
    expiresAt: instant,
    /** Digests of the manifests of kits that count no more. */
    revokedKits: Type.Array(Type.Unsafe<Digest>(digest), { maxItems: 10_000 }),
    /** Ids of keys whose signatures count no more, also on kits that name this root. */
    revokedKeys: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 1_000 }),
  },
  closed,
);

export type KitRoot = Static<typeof rootSchema>;
export type SignedRoot = SignedDocument<KitRoot>;

/** Root of trust of kits: its keys sign it, the root after it, and kits. */
export const roots = documentsOf({
  noun: 'root',
  payloadType: ROOT_TYPE,
  schema: rootSchema,
  maxBytes: 1_048_576,
});

const keyOf = (text: string): PublicKey => {
  const spki = exactBase64(text);
  try {
    if (!spki) throw new TypeError('not base64');
    return identityOf(createPublicKey({ key: spki, format: 'der', type: 'spki' }));
  } catch {
    const keyId = sha256Hex(spki ?? text);
    throw new Fault('VAL_INVALID_VALUE', `The key ${keyId} of the root is no P-256 or Ed25519 key.`, { keyId });
  }
};

/** Keys of a root whose signatures count. @throws Fault VAL_INVALID_VALUE where one key stands twice, however written */
export const keysOf = ({ keys, revokedKeys }: KitRoot): readonly PublicKey[] => {
  const byId = new Map(keys.map(keyOf).map((key) => [key.keyId, key]));
  if (byId.size < keys.length)
    throw new Fault('VAL_INVALID_VALUE', 'The root has one key twice. Each key must be another one.');
  return [...byId.values()].filter(({ keyId }) => !revokedKeys.includes(keyId));
};

const expectThreshold = (signed: SignedRoot, { version, threshold, ...root }: KitRoot): void => {
  const signatures = countSigners(signed, keysOf({ version, threshold, ...root }));
  if (signatures < threshold)
    throw new Fault(
      'root_untrusted',
      `Root ${signed.value.version} lacks signatures of keys of root ${version}: it has ${signatures} of ${threshold}.`,
      { version: signed.value.version, keysOfVersion: version, signatures, threshold },
    );
};

/** Checks that a root has not expired. @throws Fault root_expired */
export const expectCurrent = ({ version, expiresAt }: KitRoot, now: Date): void => {
  if (Date.parse(expiresAt) <= now.getTime())
    throw new Fault('root_expired', `Root ${version} expired at ${expiresAt}. Install the next root.`, {
      version,
      expiresAt,
    });
};

/** Refuses a root that takes back what the one before it revokes. */
const expectRevocations = (installed: KitRoot, next: KitRoot): void => {
  const dropped = [
    ...installed.revokedKits.filter((each) => !next.revokedKits.includes(each)),
    ...installed.revokedKeys.filter((each) => !next.revokedKeys.includes(each)),
  ];
  if (dropped.length === 0) return;
  throw new Fault(
    'VAL_INVALID_VALUE',
    `Root ${next.version} drops ${dropped.length} revocations of root ${installed.version}. Repeat each in every later root.`,
    { version: next.version, dropped: dropped.slice(0, 50) },
  );
};

const checkSuccessor = (installed: SignedRoot | undefined, next: SignedRoot): void => {
  const { version } = next.value;
  if (installed && version !== installed.value.version + 1)
    throw new Fault(
      'root_out_of_order',
      `Root ${version} cannot follow root ${installed.value.version}; install root ${installed.value.version + 1}, which keys of root ${installed.value.version} sign too. Where the demo installed root 1, docs/offline-kits.md says how.`,
      { installed: installed.value.version, version },
    );
  if (installed) {
    expectThreshold(next, installed.value);
    expectRevocations(installed.value, next.value);
  }
  expectThreshold(next, next.value);
};

/**
 * Checks that roots may be installed after another (the rule of TUF's root role): the version of each is the next one, and
 * enough keys of it and of the one before it have signed it. Only the last must be current, so that a site which missed the
 * whole life of a root can follow. The first root of a site is trusted on the operator's word.
 * @throws Fault root_out_of_order, root_untrusted, root_expired, VAL_INVALID_VALUE
 */
export const checkSuccessors = (installed: SignedRoot | undefined, chain: readonly SignedRoot[], now: Date): void => {
  let last = installed;
  for (const next of chain) {
    checkSuccessor(last, next);
    last = next;
  }
  if (last) expectCurrent(last.value, now);
};
