import { createPublicKey } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { identityOf } from '@landfall/kernel/crypto/signing/local-signer';
import { digest as digestSchema, instant } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { countSigners, documentsOf, type SignedDocument } from '../roots/signed-document.ts';
import { MAX_PAYLOAD_BYTES } from './kinds.ts';
import type { SyncSite } from './sites.store.ts';
import { stampText } from './stamp.ts';

const digest = Type.Unsafe<Digest>(digestSchema);
const closed = { additionalProperties: false } as const;

export const MAX_ENTRIES = 500;
export const MAX_BUNDLE_BYTES = 16_777_216;
/** Bytes of payloads in a bundle: half of it, since JSON escapes quotes. */
export const MAX_CONTENT_BYTES = MAX_BUNDLE_BYTES / 2;

const bundleSchema = Type.Object(
  {
    version: Type.Literal(1),
    /** Site that sends it. */
    siteId: Type.String({ format: 'uuid' }),
    sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    /** Bundle of this site before it; null for the first. */
    previousDigest: Type.Union([digest, Type.Null()]),
    createdAt: instant,
    /** Jobs in the order of their stamps. */
    entries: Type.Array(
      Type.Object(
        {
          stamp: stampText,
          // Kind and payload are checked one by one: an entry that cannot be read is refused, and not its bundle.
          kind: Type.String({ pattern: '^[a-z][a-z_]{0,31}$' }),
          key: Type.String({ minLength: 1, maxLength: 500 }),
          digest,
          payload: Type.String({ maxLength: MAX_PAYLOAD_BYTES }),
        },
        closed,
      ),
      { minItems: 1, maxItems: MAX_ENTRIES },
    ),
  },
  closed,
);

export type Bundle = Static<typeof bundleSchema>;
export type BundleEntry = Bundle['entries'][number];
export type SignedBundle = SignedDocument<Bundle>;

/** Bundle of jobs: canonical JSON in a DSSE envelope that the site signs. */
export const bundles = documentsOf({
  noun: 'bundle of the site',
  payloadType: 'application/vnd.landfall.sync-bundle+json;version=1',
  schema: bundleSchema,
  maxBytes: MAX_BUNDLE_BYTES,
});

const spkiKey = (publicKey: string) =>
  identityOf(createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }));

/** Reads the public key of a site in PEM. @throws Fault VAL_INVALID_FORMAT */
export const siteKeyOf = (pem: string): { readonly publicKey: string; readonly keyId: string } => {
  try {
    const { spki, keyId } = identityOf(createPublicKey(pem));
    return { publicKey: spki.toString('base64'), keyId };
  } catch {
    throw new Fault('VAL_INVALID_FORMAT', 'The key of the site is no public key in PEM: P-256 or Ed25519.');
  }
};

const distinctStamps = ({ entries }: Bundle): boolean =>
  entries.every(({ stamp }, index) => index === 0 || stamp > (entries[index - 1]?.stamp ?? ''));

/** Verifies that a site signed its bundle, and that its entries are in order. @throws Fault sync_untrusted, VAL_* */
export const verifyBundle = (bundle: SignedBundle, site: Pick<SyncSite, 'publicKey' | 'keyId'> | undefined): void => {
  const { siteId, sequence } = bundle.value;
  if (!site)
    throw new Fault('sync_untrusted', `The site ${siteId} is not known here. Add it by its file first.`, { siteId });
  if (countSigners(bundle, [spkiKey(site.publicKey)]) === 0)
    throw new Fault(
      'sync_untrusted',
      `Bundle ${sequence} of the site ${siteId} is not signed by the key ${site.keyId}.`,
      {
        siteId,
        keyId: site.keyId,
      },
    );
  if (!distinctStamps(bundle.value))
    throw new Fault('VAL_INVALID_VALUE', `The entries of bundle ${sequence} are not in the order of their stamps.`);
};

/**
 * Whether a bundle is the next one of its site; false for the latest, which is imported already.
 * @throws Fault sync_replayed, sync_gap
 */
export const isNext = ({ value, digest: own }: SignedBundle, site: SyncSite): boolean => {
  const { siteId, sequence, previousDigest, entries } = value;
  if (sequence === site.sequence && own === site.bundleDigest) return false;
  const details = { siteId, sequence, imported: site.sequence };
  if (sequence <= site.sequence || (entries[0]?.stamp ?? '') <= site.stamp)
    throw new Fault(
      'sync_replayed',
      `Bundle ${sequence} of ${site.name} is old: bundle ${site.sequence} is imported already.`,
      details,
    );
  if (sequence !== site.sequence + 1 || previousDigest !== site.bundleDigest)
    throw new Fault(
      'sync_gap',
      `Bundle ${sequence} of ${site.name} does not follow bundle ${site.sequence}. Import bundle ${site.sequence + 1} first; the site makes it again by its sequence.`,
      { ...details, expected: site.sequence + 1 },
    );
  return true;
};

/** Digest of a payload, by which duplicates are known. */
export const payloadDigest = (payload: string): Digest => sha256(payload);
