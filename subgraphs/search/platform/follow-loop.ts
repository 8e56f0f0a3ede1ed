import type { Deps } from '@landfall/kernel/module';

/** Interval of polling, for lost hints. */
const POLL_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A pause that a hint ends; one that came before it began as well. */
const createAlarm = () => {
  let ring = (): void => {};
  let isRung = false;
  return {
    ring: (): void => {
      isRung = true;
      ring();
    },
    async wait(ms: number): Promise<void> {
      if (!isRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          ring = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isRung = false;
    },
  };
};

/**
 * Does something whenever there may be more of it: on hints, at least once a second, less and less often while it fails.
 * @param act whether there is more to do at once
 */
export const followHints = (
  { hints, log }: Pick<Deps, 'hints' | 'log'>,
  name: string,
  act: () => Promise<boolean>,
): AsyncDisposable => {
  const alarm = createAlarm();
  let isStopping = false;
  let failures = 0;

  const turn = async (): Promise<boolean> => {
    try {
      const hasMore = await act();
      failures = 0;
      return hasMore;
    } catch (error) {
      log.error({ err: error }, name);
      failures += 1;
      return false;
    }
  };

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      const hasMore = await turn();
      if (!hasMore && !isStopping) await alarm.wait(Math.min(POLL_MS * 2 ** failures, LONGEST_PAUSE_MS));
    }
  };

  const listening = hints.listen(alarm.ring);
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      isStopping = true;
      listening[Symbol.dispose]();
      alarm.ring();
      await running;
    },
  };
};
