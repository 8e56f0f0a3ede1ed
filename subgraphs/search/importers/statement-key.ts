import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Origin } from './reader.ts';

const DIGITS = 16;

/**
 * Keys of the statements of one document. A document's own id alone names nothing: real repositories give it to many files,
 * and to files of one name in several folders. A statement is the same one where file, document, vulnerability and products
 * are the same; of several such statements in one document, where it is the same in their order.
 * @param document what names the document: its id, with its publisher's where there is one
 */
export const createStatementKeys = ({ packagePath, file }: Origin, document: unknown) => {
  const seen = new Map<string, number>();
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
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return nth === 1 ? key : `${key}/${nth}`;
  };
};
