import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { runLeased } from '@landfall/kernel/work/schedule';

const NAME = 'scanner.rescore';
/** Longest and shortest pause between two looks whether a cycle is due. */
const MAX_POLL_MS = 60_000;
const MIN_POLL_MS = 2_000;
/** Shortest time from one cycle to the next that a change of VEX or a policy asks for, so that an import of many is one. */
const EARLIEST_MS = 30_000;

interface RescoreWorkerDeps extends Pick<Deps, 'database' | 'hints' | 'log'> {
  /** Milliseconds from the end of one cycle to the next. */
  readonly checkIntervalMs: number;
  cycle(): Promise<number>;
}

/**
 * Creates the worker that runs a cycle of rescoring at an interval, and earlier when somebody changed VEX or a policy; one at
 * a time over all processes.
 */
export const createRescoreWorker = ({ database, hints, log, checkIntervalMs, cycle }: RescoreWorkerDeps) => {
  let isAwaited = false;

  const isDue = (lastRunAt: Date | null, now: Date): boolean => {
    if (lastRunAt === null) return true;
    const elapsedMs = now.getTime() - lastRunAt.getTime();
    return elapsedMs >= checkIntervalMs || (isAwaited && elapsedMs >= EARLIEST_MS);
  };

  /** Runs a cycle if it is due and no other process runs one. @returns whether it ran */
  const runIfDue = (): Promise<boolean> =>
    runLeased(
      { database },
      {
        name: NAME,
        isDue,
        run: async () => {
          isAwaited = false;
          await cycle();
        },
      },
    );

  const worker: Worker = pollingWorker({
    name: NAME,
    pollMs: Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, checkIntervalMs / 5)),
    hints: {
      listen: (onHint) =>
        hints.of('VexSource', 'ScorePolicy').listen(() => {
          isAwaited = true;
          onHint();
        }),
    },
    log,
    turn: async () => {
      await runIfDue();
      return 0;
    },
  });
  return { worker, runIfDue };
};
