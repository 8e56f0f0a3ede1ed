// Site without a network, whose signed bundles are carried to the product.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAYLOAD_TYPE = 'application/vnd.landfall.sync-bundle+json;version=1';

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** JSON with the members of each object in order (RFC 8785 for what bundles have). */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

/** Creates a site with a key of its own. */
export const createSyncSite = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const siteId = randomUUID();
  const keyid = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex');
  return {
    siteId,
    siteKey: String(publicKey.export({ format: 'pem', type: 'spki' })),

    /** Puts the first bundle of the site, with evidence under a key, into an inbox. @returns the name of its file */
    async send(
      inbox: string,
      { key, text, count }: { readonly key: string; readonly text: string; readonly count: number },
    ) {
      const content = Buffer.from(text).toString('base64');
      const evidence = canonical({ bomRef: 'landfall:deployment:1', serialNumber: `urn:test:${text}`, content });
      const stamp = `${String(Date.UTC(2026, 0, 1)).padStart(15, '0')}-${String(count).padStart(6, '0')}`;
      const entries = [{ stamp, kind: 'evidence', key, digest: sha256(evidence), payload: evidence }];
      const createdAt = '2026-01-01T00:00:00Z';
      const payload = canonical({ version: 1, siteId, sequence: 1, previousDigest: null, createdAt, entries });
      const signed = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${Buffer.byteLength(payload)} ${payload}`;
      const sig = sign(null, Buffer.from(signed), privateKey).toString('base64');
      const envelope = {
        payloadType: PAYLOAD_TYPE,
        payload: Buffer.from(payload).toString('base64'),
        signatures: [{ keyid, sig }],
      };
      const file = `${siteId}.json`;
      await mkdir(inbox, { recursive: true });
      await writeFile(join(inbox, file), JSON.stringify(envelope));
      return file;
    },
  };
};
