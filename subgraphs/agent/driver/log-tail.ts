import { open } from 'node:fs/promises';

const chunkBytes = 64 * 1024;
/** Longest line that is read live, in bytes. */
const longestBytes = 256 * 1024;

export type Tail = Readonly<{
  /** Reads the whole lines since the last call, and the number of lines that were too long. */
  read(): Promise<Readonly<{ lines: string; skipped: number }>>;
}>;

/** Creates a reader that follows a log from its start; after the log was emptied it continues at the new start. */
export const createTail = (path: string): Tail => {
  let offset = 0;
  let rest = Buffer.alloc(0);
  let isSkipping = false;

  /** Splits new bytes into lines; returns the complete ones and the number of lines skipped as too long. */
  const append = (chunk: Buffer): Readonly<{ lines: string; skipped: number }> => {
    const all = Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf(10);
    if (end < 0) {
      const isTooLong = all.length > longestBytes;
      rest = isTooLong || isSkipping ? Buffer.alloc(0) : all;
      const skipped = isTooLong && !isSkipping ? 1 : 0;
      isSkipping ||= isTooLong;
      return { lines: '', skipped };
    }
    const begin = isSkipping ? all.indexOf(10) + 1 : 0;
    isSkipping = false;
    rest = Buffer.from(all.subarray(end + 1));
    return { lines: all.subarray(begin, end + 1).toString('utf8'), skipped: 0 };
  };

  return {
    async read() {
      const file = await open(path, 'r').catch(() => undefined);
      if (!file) return { lines: '', skipped: 0 };
      let lines = '';
      let skipped = 0;
      try {
        if ((await file.stat()).size < offset) {
          offset = 0;
          rest = Buffer.alloc(0);
          isSkipping = false;
        }
        for (;;) {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset);
          if (bytesRead === 0) return { lines, skipped };
          offset += bytesRead;
          const tail = append(buffer.subarray(0, bytesRead));
          lines += tail.lines;
          skipped += tail.skipped;
        }
      } finally {
        await file.close();
      }
    },
  };
};
