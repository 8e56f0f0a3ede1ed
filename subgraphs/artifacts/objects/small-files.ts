import { Worker } from 'node:worker_threads';
import type { SmallRead, SmallReadsAnswer } from './small-files.worker.ts';

/** Time without a read after which the thread ends. */
const IDLE_MS = 5_000;

/** File that cannot be read, with the code of the operating system. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly code: string;

  constructor(path: string, code: string) {
    super(`${path} cannot be read: ${code}`);
    this.code = code;
  }
}

interface Waiting extends SmallRead {
  readonly settle: (bytes: Uint8Array) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Creates the reader of small files. A thread of its own reads those that are asked for in one turn of the event loop:
 * opening, reading and closing each by itself costs five times the processor time. The thread starts with the first read.
 */
export const createSmallFiles = () => {
  let thread: Worker | undefined;
  let waiting: Waiting[] = [];
  /** Reads of each message without an answer, in the order in which the thread answers. */
  const underWay: Waiting[][] = [];
  let idle: NodeJS.Timeout | undefined;

  const answer = ({ bytes, reads }: SmallReadsAnswer): void => {
    for (const [index, { path, settle, fail }] of (underWay.shift() ?? []).entries()) {
      const read = reads[index] ?? { code: 'EIO' };
      if ('code' in read) fail(new UnreadableFile(path, read.code));
      else settle(new Uint8Array(bytes, read.offset, read.length));
    }
    if (underWay.length > 0) return;
    thread?.unref();
    idle = setTimeout(end, IDLE_MS).unref();
  };

  const end = (): void => {
    const ended = thread;
    thread = undefined;
    void ended?.terminate();
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./small-files.worker.ts', import.meta.url), { execArgv: [] });
    started.on('message', answer);
    started.on('error', () => undefined); // its end follows
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      for (const { path, fail } of underWay.splice(0).flat()) fail(new UnreadableFile(path, 'EIO'));
    });
    return started;
  };

  const send = (): void => {
    clearTimeout(idle);
    thread ??= start();
    thread.ref();
    underWay.push(waiting);
    thread.postMessage(waiting.map(({ path, length }) => ({ path, length })));
    waiting = [];
  };

  /**
   * Reads the beginning of a file.
   * @throws Error with the `code` of the operating system
   */
  return (path: string, length: number): Promise<Uint8Array> =>
    new Promise((settle, fail) => {
      waiting.push({ path, length, settle, fail });
      if (waiting.length === 1) setImmediate(send);
    });
};
