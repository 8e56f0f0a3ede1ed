import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Origin } from './reader.ts';

const DIGITS = 16;

/**
 * Creates keys for the statements of one document. A document's own id alone identifies nothing: real repositories give
 * it to many files, and to files of one name in several folders. Two statements are the same where file, document,
 * vulnerability and products are the same; several such statements in one document are told apart by their order.
 * @param document identifies the document: its id, with its publisher's where there is one
 */
export const createStatementKeys = ({ packagePath, file }: Origin, document: unknown) => {
  const counts = new Map<string, number>();
  // Statements of a document may share one long list.
  const hashes = new Map<unknown, string>();
  const hashOf = (products: unknown): string =>
    hashes.getOrInsertComputed(products, () =>
      sha256Hex(JSON.stringify([...(file === undefined ? [] : [file]), document ?? null, products ?? null])).slice(
        0,
        DIGITS,
      ),
    );
  return (vulnerability: string, products: unknown): string => {
    const key = `${packagePath}#${vulnerability}/${hashOf(products)}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return nth === 1 ? key : `${key}/${nth}`;
  };
};
