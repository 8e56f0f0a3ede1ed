import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';

/**
 * Computes the gated digest set of components: SHA-256 over their `name@digest` lines in UTF-8, sorted by bytes and
 * joined by a newline. The order in which components were added does not matter, and names hold neither `@` nor a
 * newline.
 */
export const gatedDigestSet = (components: readonly { readonly name: string; readonly digest: Digest }[]): Digest => {
  const lines = components.map(({ name, digest }) => Buffer.from(`${name}@${digest}`));
  return sha256(
    lines
      .toSorted(Buffer.compare)
      .map((line) => line.toString('utf8'))
      .join('\n'),
  );
};
