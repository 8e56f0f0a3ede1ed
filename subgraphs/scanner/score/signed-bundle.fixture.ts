// Bundle of the golden scan under a key of its own, and archives that no product would write.
import { generateKeyPairSync } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { type Options, ZipFile } from 'yazl';
import { type BundleEntries, createBundle } from './bundle.ts';
import { goldenScan } from './golden-scan.fixture.ts';
import { ledgerRoot } from './ledger.ts';
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

/** Changes a document: values by their dotted paths. */
export const assignPaths = (document: ReturnType<typeof JSON.parse>, values: Readonly<Record<string, unknown>>) => {
  for (const [path, value] of Object.entries(values)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    steps.reduce((target, step) => target[step], document)[last] = value;
  }
  return document;
};

/** Entries whose nodes are changed by path, with the root that they then have. */
export const withNodes = (entries: BundleEntries, values: Readonly<Record<string, unknown>>) => {
  const changed = edited(entries, 'score_proof.json', (proof) => {
    assignPaths(proof.nodes, values);
    return { ...proof, rootHash: ledgerRoot(proof.nodes.map(canonicalJson)) };
  });
  const { rootHash } = JSON.parse(changed['score_proof.json'].toString());
  return { entries: edited(changed, 'meta.json', (meta) => ({ ...meta, rootHash })), rootHash };
};
