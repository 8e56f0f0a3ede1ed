import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { runLeased } from '@landfall/kernel/work/schedule';

const NAME = 'scanner.rescore';
/** Longest and shortest pause between two looks whether a cycle is due. */
const MAX_POLL_MS = 60_000;
const MIN_POLL_MS = 2_000;

interface RescoreWorkerDeps extends Pick<Deps, 'database' | 'log'> {
  /** Milliseconds from the end of one cycle to the next. */
  readonly checkIntervalMs: number;
  cycle(): Promise<number>;
}

/** Creates the worker that runs a cycle of rescoring at an interval, one at a time over all processes. */
export const createRescoreWorker = ({ database, log, checkIntervalMs, cycle }: RescoreWorkerDeps) => {
  /** Runs a cycle if it is due and no other process runs one. @returns whether it ran */
  const runIfDue = (): Promise<boolean> =>
    runLeased(
      { database },
      {
        name: NAME,
        run: async () => void (await cycle()),
        isDue: (lastRunAt, now) => lastRunAt === null || now.getTime() - lastRunAt.getTime() >= checkIntervalMs,
      },
    );

  const worker: Worker = pollingWorker({
    name: NAME,
    pollMs: Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, checkIntervalMs / 5)),
    log,
    turn: async () => {
      await runIfDue();
      return 0;
    },
  });
  return { worker, runIfDue };
};
