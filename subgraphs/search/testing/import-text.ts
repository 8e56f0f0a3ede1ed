import type { Chunk } from '../corpus/chunk.ts';
import { type ReadOptions, readFile } from '../importers/read-file.ts';
import type { Rejection } from '../importers/reader.ts';

interface Imported {
  readonly chunks: readonly Chunk[];
  readonly refusals: readonly Rejection[];
  readonly skipped: number;
}

/** Result of importing a file; `size` splits it into reads of so many bytes. */
export const importText = async (
  path: string,
  content: string | Uint8Array,
  {
    size = 64 * 1024,
    isGiven = true,
    ...options
  }: ReadOptions & { readonly size?: number; readonly isGiven?: boolean } = {},
): Promise<Imported> => {
  const complete = Buffer.from(content);
  const bytes = async function* () {
    for (let index = 0; index < complete.length; index += size) yield complete.subarray(index, index + size);
  };
  const chunks: Chunk[] = [];
  const refusals: Rejection[] = [];
  let skipped = 0;
  for await (const piece of readFile({ name: path, path, isGiven, bytes }, options)) {
    if (piece.kind === 'document') chunks.push(...piece.chunks);
    else if (piece.kind === 'refused') refusals.push(piece.refusal);
    else skipped += 1;
  }
  return { chunks, refusals, skipped };
};

/** Imports a file with one chunk and returns that. */
export const importOne = async (path: string, content: string, options: ReadOptions = {}): Promise<Chunk> => {
  const { chunks, refusals } = await importText(path, content, options);
  const [chunk, ...rest] = chunks;
  if (!chunk || rest.length > 0 || refusals.length > 0)
    throw new Error(`${chunks.length} chunks, ${JSON.stringify(refusals)}`);
  return chunk;
};
