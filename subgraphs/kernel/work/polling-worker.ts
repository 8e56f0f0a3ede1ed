import { startPollingLoop } from '../core/polling-loop.ts';
import type { Worker } from '../core/worker.ts';
import type { Log } from '../system/log.ts';

interface Polling {
  readonly name: string;
  /** Pause between turns without a hint. */
  readonly pollMs: number;
  readonly hints?: { listen(onHint: () => void): Disposable };
  readonly log: Log;
  /** Processes due work and returns the number of items. After one or more the next turn follows at once. */
  turn(): Promise<number>;
}

/** Worker that runs turns of a polling loop until it is stopped. */
export const pollingWorker = ({ name, pollMs, hints, log, turn }: Polling): Worker => ({
  name,
  start: () =>
    startPollingLoop({
      pollMs,
      hints,
      turn: async () => (await turn()) > 0,
      onError: (err) => log.error({ err }, name),
    }),
});
