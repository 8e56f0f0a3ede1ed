import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { documentText } from '../roots/signed-document.ts';
import { type Bundle, type BundleEntry, bundles, type SignedBundle } from '../sync/bundle.ts';
import { nextStamp } from '../sync/stamp.ts';
import { testKey } from './kits.ts';

/** Payload of evidence with this text. */
export const evidenceWith = (text: string) => ({
  bomRef: 'landfall:deployment:1',
  serialNumber: `urn:test:${text}`,
  content: Buffer.from(text).toString('base64'),
});

/** Entry of a bundle about a key. */
export const entryOf = (stamp: string, key: string, text: string, changes: Partial<BundleEntry> = {}): BundleEntry => {
  const payload = canonicalJson(evidenceWith(text));
  return { stamp, kind: 'evidence', key, digest: sha256(payload), payload, ...changes };
};

/** Stamp of a minute. */
export const stampAt = (minute: number): string =>
  nextStamp(`${'0'.repeat(15)}-${'0'.repeat(6)}`, new Date(Date.UTC(2026, 0, 1, 0, minute)));

/** Another site that sends bundles, without a product. */
export const syncSite = () => {
  const signer = testKey();
  const siteId = randomUUID();
  let last: SignedBundle | undefined;
  const sign = async (entries: readonly BundleEntry[], changes: Partial<Bundle> = {}, by = signer) => {
    const draft = bundles.draft({
      version: 1,
      siteId,
      sequence: (last?.value.sequence ?? 0) + 1,
      previousDigest: last?.digest ?? null,
      createdAt: '2026-01-01T00:00:00Z',
      entries: [...entries],
      ...changes,
    });
    return bundles.sign(draft, by);
  };
  return {
    siteId,
    publicKey: String(signer.publicKey.export({ format: 'pem', type: 'spki' })),
    /** Makes a bundle that does not count as sent. */
    sign,
    /** Makes the next bundle. */
    async next(entries: readonly BundleEntry[]): Promise<SignedBundle> {
      last = await sign(entries);
      return last;
    },
  };
};

/** Puts a bundle into an inbox, and returns its name. */
export const deliverBundle = async (inbox: string, bundle: SignedBundle | string): Promise<string> => {
  await mkdir(inbox, { recursive: true });
  const name = `${randomUUID()}.json`;
  await writeFile(join(inbox, name), typeof bundle === 'string' ? bundle : documentText(bundle));
  return name;
};
