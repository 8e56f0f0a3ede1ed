// Bundle of the golden scan under a key of its own, and archives that no product would write.
import { generateKeyPairSync } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { type Options, ZipFile } from 'yazl';
import { type BundleEntries, createBundle } from './bundle.ts';
import { goldenScan } from './golden-scan.fixture.ts';
import { type Manifest, signManifest } from './manifest.ts';
import { readBundle } from './read-bundle.ts';
import { replay } from './replay.ts';

export const signer = localSigner(generateKeyPairSync('ed25519').privateKey);

/** Replay, bytes and entries of the golden scan's bundle. */
export const signedBundle = async (manifest: Manifest = goldenScan.manifest) => {
  const replayed = replay({ ...goldenScan, manifest });
  const bytes = createBundle(replayed, await signManifest(signer, manifest));
  return { replayed, bytes, entries: await readBundle(bytes) };
};

/** ZIP file of these entries, in their order. */
export const zipOf = (entries: readonly (readonly [name: string, bytes: Buffer, options?: Partial<Options>])[]) => {
  const zip = new ZipFile();
  for (const [name, bytes, options = { compress: false }] of entries) zip.addBuffer(bytes, name, options);
  zip.end();
  return buffer(zip.outputStream);
};

/** Entries of which one JSON document is changed, and written canonically again. */
export const edited = (
  entries: BundleEntries,
  name: keyof BundleEntries,
  edit: (document: ReturnType<typeof JSON.parse>) => unknown,
): BundleEntries => ({
  ...entries,
  [name]: Buffer.from(canonicalJson(edit(JSON.parse(entries[name].toString())))),
});
