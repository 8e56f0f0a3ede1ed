import { closeSync, constants, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';

/** Beginning of a file, as many bytes as are asked for at most. */
export interface SmallRead {
  readonly path: string;
  readonly length: number;
}

/** Answer to the reads of a message: the bytes of each lie at its offset, or its failure is named. */
export interface SmallReadsAnswer {
  readonly bytes: ArrayBuffer;
  readonly reads: readonly ({ readonly offset: number; readonly length: number } | { readonly code: string })[];
}

/** A link or a pipe in place of a file is none of ours. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const readInto = (bytes: ArrayBuffer, offset: number, { path, length }: SmallRead) => {
  try {
    const file = openSync(path, FLAGS);
    try {
      return { offset, length: readSync(file, new Uint8Array(bytes, offset, length), 0, length, 0) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { code: systemErrorCodeOf(error) };
  }
};

parentPort?.on('message', (reads: readonly SmallRead[]) => {
  const bytes = new ArrayBuffer(reads.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  const answer: SmallReadsAnswer = {
    bytes,
    reads: reads.map((read) => {
      const result = readInto(bytes, offset, read);
      offset += read.length;
      return result;
    }),
  };
  parentPort?.postMessage(answer, [bytes]);
});
