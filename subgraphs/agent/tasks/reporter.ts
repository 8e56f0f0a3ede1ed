import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/core/fault';
import { failure } from '../protocol/failure.ts';
import type { Report, StepReport, Task } from '../protocol/messages.ts';

const firstRetryMs = 100;
const lastRetryMs = 5_000;

type Options = Readonly<{
  task: Pick<Task, 'taskId' | 'fence'>;
  /** Last number used, from the journal. */
  seq: number;
  send(report: Report, signal: AbortSignal): Promise<void>;
  /** Stores a number before it is used, so that no number is used for two reports. */
  keep(seq: number): Promise<void>;
  signal: AbortSignal;
}>;

/** Creates the reporter, which sends reports in order and retries; a refusal with a status below 500 ends the task. */
export const createReporter = ({ task: { taskId, fence }, seq, send, keep, signal }: Options) => {
  let number = seq;
  let tail: Promise<void> = Promise.resolve();
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => undefined);

  const deliver = async (report: StepReport): Promise<void> => {
    number += 1;
    await keep(number);
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      signal.throwIfAborted();
      try {
        return await send({ taskId, fence, seq: number, report }, signal);
      } catch (error) {
        // SYS_* is a failure of the server itself; any other code is its response to this report.
        if (error instanceof Fault && error.status < 500) throw failure(error.code, 'lease-lost', error.message, error);
        await sleep(waitMs, undefined, { signal });
      }
    }
  };

  return {
    report(report: StepReport): void {
      tail = tail.then(() => deliver(report));
      tail.catch(lose);
    },
    settled: (): Promise<void> => tail,
    /** Never resolves; rejects when a report was refused, so that the task can stop at once. */
    lost,
  };
};
