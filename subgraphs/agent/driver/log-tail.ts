import { open } from 'node:fs/promises';

const chunkBytes = 64 * 1024;
/** A line that is longer is nobody's to read live. */
const longestBytes = 256 * 1024;

export type Tail = Readonly<{
  /** Whole lines that were written since the last call, and how many were too long to be read. */
  read(): Promise<Readonly<{ lines: string; skipped: number }>>;
}>;

/** Follows a log as it grows, from its beginning; one that was emptied is followed from its new beginning. */
export const createTail = (path: string): Tail => {
  let offset = 0;
  let rest = Buffer.alloc(0);
  let isSkipping = false;

  /** @returns the whole lines of what was left and what came, as far as they are to be read */
  const take = (chunk: Buffer): Readonly<{ lines: string; skipped: number }> => {
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
          const kept = take(buffer.subarray(0, bytesRead));
          lines += kept.lines;
          skipped += kept.skipped;
        }
      } finally {
        await file.close();
      }
    },
  };
};
