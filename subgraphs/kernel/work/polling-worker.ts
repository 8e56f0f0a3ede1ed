import type { Worker } from '../core/worker.ts';
import type { Hints } from '../events/hint.ts';
import type { Log } from '../system/log.ts';

interface Polling {
  readonly name: string;
  /** How often it looks without being told. */
  readonly pollMs: number;
  /** A hint wakes it sooner; without any it only looks. */
  readonly hints?: Hints;
  readonly log: Log;
  /** Does what is due. @returns how many things it took up; after some it looks again at once */
  turn(): Promise<number>;
}

/** A worker that takes turns until it is stopped; the turn under way is let end. */
export const pollingWorker = ({ name, pollMs, hints, log, turn }: Polling): Worker => ({
  name,
  start: () => {
    let isStopping = false;
    let wake = (): void => {};
    const listening = hints?.listen(() => wake());
    const pause = (): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const loop = (async () => {
      while (!isStopping) {
        const done = await turn().catch((error: unknown) => {
          log.error({ err: error }, name);
          return 0;
        });
        if (done === 0 && !isStopping) await pause();
      }
    })();
    return {
      async [Symbol.asyncDispose]() {
        isStopping = true;
        listening?.[Symbol.dispose]();
        wake();
        await loop;
      },
    };
  },
});
