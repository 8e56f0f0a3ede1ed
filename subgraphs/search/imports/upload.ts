import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Chunk } from '../corpus/chunk.ts';
import { readFile } from '../importers/read-file.ts';
import { type Format, type Rejection, rejection } from '../importers/reader.ts';
import { createDeduplicator } from './deduplicator.ts';

export interface Upload {
  readonly fileName: string;
  readonly content: string;
  readonly format?: Format | undefined;
  readonly source?: string | undefined;
}

export interface ReadDocuments {
  readonly documents: readonly Chunk[];
  readonly refusals: readonly Rejection[];
  readonly refused: number;
}

const MAX_REJECTIONS = 100;
/** Upper bound of the UTF-16 units of all documents of a file: a short file may expand to many long documents. */
const MAX_LENGTH = 8_000_000;

const sizeOf = ({ title, body, identifiers, packages, attributes }: Chunk): number =>
  title.length +
  body.length +
  [...identifiers, ...packages].reduce((sum, name) => sum + name.length, 0) +
  JSON.stringify(attributes ?? {}).length;

export const readUpload = async ({ fileName, content, format, source }: Upload): Promise<ReadDocuments> => {
  const documents: Chunk[] = [];
  const distinct = createDeduplicator();
  const refusals: Rejection[] = [];
  let [refused, available] = [0, MAX_LENGTH];
  const refuse = (refusal: Rejection): void => {
    refused += 1;
    if (refusals.length < MAX_REJECTIONS) refusals.push(refusal);
  };
  // A file name does not identify an upload, so nothing is removed by it.
  const file = sha256Hex(JSON.stringify(['written', fileName]));
  const bytes = async function* () {
    yield Buffer.from(content);
  };
  for await (const piece of readFile({ name: fileName, path: fileName, isGiven: true, bytes }, { format, source })) {
    if (piece.kind === 'refused') refuse(piece.refusal);
    if (piece.kind !== 'document') continue;
    for (const chunk of piece.chunks) {
      const admitted = distinct.admit(chunk);
      if (!admitted) continue;
      available -= sizeOf(chunk);
      if (available >= 0) documents.push(admitted.domain === 'vex' ? { ...admitted, file } : admitted);
      else refuse(rejection(fileName, undefined, `'${chunk.documentKey}': the file says too much for one import`));
    }
  }
  return { documents, refusals, refused };
};
