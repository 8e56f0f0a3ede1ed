import { type Digest, digestHex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { orderedJson } from './document.ts';
import type { Replay } from './replay.ts';
import { writeZip } from './zip-writer.ts';

/** Entries of a proof bundle in their order (spec 2.4). */
export const ENTRY_NAMES = ['manifest.json', 'manifest.dsse.json', 'score_proof.json', 'meta.json'] as const;

export type EntryName = (typeof ENTRY_NAMES)[number];
export type BundleEntries = Readonly<Record<EntryName, Buffer>>;

export const BUNDLE_VERSION = '1';

/** Packs the entries of a bundle as ZIP. Nothing is compressed: deflate may differ between builds of zlib. */
export const packBundle = (entries: BundleEntries): Buffer =>
  writeZip(ENTRY_NAMES.map((name) => ({ name, bytes: entries[name] })));

/**
 * Creates the proof bundle of a replay: the bytes of its ZIP (proofs 4).
 * @param envelope text of `manifest.dsse.json`, which `signManifest` made once for the scan
 */
export const createBundle = (replayed: Replay, envelope: string): Buffer => {
  const { manifestText, nodes, rootHash, scan } = replayed;
  const createdAtUtc = scan.freezeTimestamp;
  const proof = `{"createdAtUtc":${orderedJson(createdAtUtc)},"nodes":[${nodes.join()}],"rootHash":"${rootHash}"}`;
  return packBundle({
    'manifest.json': Buffer.from(manifestText),
    'manifest.dsse.json': Buffer.from(envelope),
    'score_proof.json': Buffer.from(proof),
    'meta.json': Buffer.from(canonicalJson({ createdAtUtc, rootHash, version: BUNDLE_VERSION })),
  });
};

/** File name of a bundle. With content addressing a scan has one file for each root, without it one file. */
export const bundleName = (scanId: string, rootHash: Digest, isContentAddressed: boolean): string =>
  isContentAddressed ? `${scanId}_${digestHex(rootHash).slice(0, 16)}.zip` : `${scanId}.zip`;
