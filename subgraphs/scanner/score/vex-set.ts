import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { compareBytes } from './document.ts';
import type { TRUST_LEVELS } from './policy.ts';

/** VEX document as the manifest pins it: with the trust and rank that its source had at the freeze (proofs 1). */
export interface VexDocument {
  /** Digest of the document's bytes. */
  readonly digest: Digest;
  /** Rank of the source; the greater wins. */
  readonly rank: number;
  readonly source: string;
  readonly trust: (typeof TRUST_LEVELS)[number];
}

/** Hash of the manifest's `vex` input. The order of the documents does not matter. */
export const vexSetHash = (documents: readonly VexDocument[]): Digest => {
  const ordered = documents
    .map(({ digest, rank, source, trust }) => ({ digest, rank, source, trust }))
    .toSorted((a, b) => compareBytes(a.digest, b.digest) || compareBytes(a.source, b.source));
  return sha256(canonicalJson({ '@type': 'vex-set/v1', documents: ordered }));
};
