import { createPublicKey } from 'node:crypto';
import { pae } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { inclusionSubtrees } from '@landfall/kernel/crypto/merkle';
import { parseBundle } from '../bundle/parse-bundle.ts';
import type { Trust } from '../bundle/trust.ts';
import { openCheckpoint } from '../signature/checkpoint.ts';
import type { KeyDetails } from '../signature/hashed-rekord.ts';

/** Bundle whose keys or log are not in the platform's trust document. */
export class UnknownBundle extends Error {
  override readonly name = 'UnknownBundle';
}

export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Files of a bundle, for other programs to read. */
export interface BundleFiles {
  readonly files: readonly ArchiveFile[];
  readonly keyDetails: KeyDetails;
  readonly index: number;
  readonly treeSize: number;
  /** Hashes from the leaf to the root, each in its file, and whether it is the left sibling. */
  readonly path: readonly { readonly file: string; readonly isLeft: boolean }[];
}

const pemOf = (spki: Uint8Array): Buffer =>
  Buffer.from(
    createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({ type: 'spki', format: 'pem' }),
  );

const proofFile = (level: number): string => `proof/${String(level).padStart(2, '0')}.bin`;

/** Splits a bundle of the platform into files. Throws MalformedBundle or UnknownBundle if the bundle was changed. */
export const splitBundle = (bundle: string, trust: Trust): BundleFiles => {
  const { hint = '', payload, payloadType, signatures, entries, json } = parseBundle(bundle);
  const key = trust.keys.get(hint);
  const [signature] = signatures;
  const [entry] = entries;
  const proof = entry?.proof;
  const logKeys = trust.logKeys.filter(({ keyId }) => entry?.logId.equals(keyId));
  const [logKey] = logKeys;
  const checkpoint = proof && logKey && openCheckpoint(proof.checkpoint, { origin: logKey.origin, keys: logKeys });
  const own = checkpoint?.signatures.find(
    ({ name, keyHash }) => name === checkpoint.origin && keyHash.equals(checkpoint.key.keyId.subarray(0, 4)),
  );
  if (!key || !signature || !entry || !proof || !checkpoint || !own || proof.index >= proof.treeSize)
    throw new UnknownBundle('A stored bundle is not one of this platform.');
  const subtrees = inclusionSubtrees(proof.index, proof.treeSize);
  const text = (path: string, content: string): ArchiveFile => ({ path, bytes: Buffer.from(content) });
  return {
    keyDetails: key.details,
    index: proof.index,
    treeSize: proof.treeSize,
    path: subtrees.map(({ end }, level) => ({ file: proofFile(level), isLeft: end <= proof.index })),
    files: [
      text('bundle.json', bundle),
      { path: 'statement.json', bytes: payload },
      text('envelope.json', canonicalJson(json.dsseEnvelope)),
      { path: 'pae.bin', bytes: pae(payloadType, payload) },
      { path: 'signature.der', bytes: signature.bytes },
      { path: 'key.pem', bytes: pemOf(key.spki) },
      { path: 'entry.json', bytes: entry.body },
      ...proof.hashes.map((bytes, level) => ({ path: proofFile(level), bytes })),
      text('checkpoint.note', proof.checkpoint),
      text('checkpoint.txt', checkpoint.text),
      { path: 'checkpoint.sig', bytes: own.bytes },
      { path: 'log-key.pem', bytes: pemOf(checkpoint.key.spki) },
    ],
  };
};
