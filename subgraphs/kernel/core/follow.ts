interface Followed {
  /** Pause after a turn with nothing more to do; it doubles with each failure in a row. */
  readonly pollMs: number;
  /** Upper bound of the pause after failures: `pollMs` unless given. */
  readonly longestPauseMs?: number;
  /** Hints that end a pause early. One that comes during a turn is kept, so the next pause is skipped. */
  readonly hints?: { listen(onHint: () => void): Disposable } | undefined;
  /** Does what is due. `signal` is aborted when the loop stops. @returns whether there is more to do at once */
  turn(signal: AbortSignal): Promise<boolean>;
  /** Receives what a turn threw. @param failures failures in a row, this one included */
  onError(error: unknown, failures: number): void;
}

/** A loop that runs until it is disposed of, which waits for the turn under way. */
export interface Following extends AsyncDisposable {
  /** Ends the pause, or skips the next one. */
  wake(): void;
}

/** Pause that `wake` ends early; a wake before the pause skips it. */
const createPause = () => {
  let isWoken = false;
  let resume = (): void => {};
  return {
    wake: (): void => {
      isWoken = true;
      resume();
    },
    async pause(ms: number): Promise<void> {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isWoken = false;
    },
  };
};

/** Takes turns: at once while there is more to do, on hints, and at least every `pollMs`; less often while turns fail. */
export const follow = ({ pollMs, longestPauseMs = pollMs, hints, turn, onError }: Followed): Following => {
  const { wake, pause } = createPause();
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
  const listening = hints?.listen(wake);
  const running = loop();
  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      listening?.[Symbol.dispose]();
      wake();
      await running;
    },
  };
};
