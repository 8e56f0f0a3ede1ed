interface PollingLoopOptions {
  /** Pause in milliseconds after an idle turn; it doubles with each failure in a row. */
  readonly pollMs: number;
  /** Upper bound of the pause after failures: `pollMs` unless given. */
  readonly longestPauseMs?: number;
  /** Hints that end a pause early. A hint during a turn skips the next pause. */
  readonly hints?: { listen(onHint: () => void): Disposable } | undefined;
  /** Processes due work once and returns whether more is due. `signal` is aborted when the loop stops. */
  turn(signal: AbortSignal): Promise<boolean>;
  /** Receives the error of a failed turn, and the number of failures in a row, this one included. */
  onError(error: unknown, failures: number): void;
}

/** Loop that runs until it is disposed of; disposing waits for the running turn. */
export interface PollingLoop extends AsyncDisposable {
  /** Ends the pause, or skips the next one. */
  wake(): void;
}

/** Pause that `notify` ends early; a wake before the pause skips it. */
const createPause = () => {
  let isNotified = false;
  let resume = (): void => {};
  return {
    wake: (): void => {
      isNotified = true;
      resume();
    },
    async pause(ms: number): Promise<void> {
      if (!isNotified)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isNotified = false;
    },
  };
};

/**
 * Starts a loop of turns: the next turn starts at once while work remains, else on a hint or after `pollMs` to
 * `longestPauseMs`.
 */
export const startPollingLoop = ({
  pollMs,
  longestPauseMs = pollMs,
  hints,
  turn,
  onError,
}: PollingLoopOptions): PollingLoop => {
  const { wake: notify, pause } = createPause();
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      let hasMore = false;
      try {
        hasMore = await turn(stopping.signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        onError(error, failures);
      }
      if (!hasMore && !stopping.signal.aborted) await pause(Math.min(pollMs * 2 ** failures, longestPauseMs));
    }
  };
  const listening = hints?.listen(notify);
  const running = loop();
  return {
    wake: notify,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      listening?.[Symbol.dispose]();
      notify();
      await running;
    },
  };
};
