import { startPollingLoop } from '@landfall/kernel/core/polling-loop';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import type { Signal } from '../shared/signal.ts';
import type { Dispatch } from './dispatch.ts';

/** Pause between looks while nothing is due. */
const POLL_MS = 500;

interface WorkerDeps extends Pick<Deps, 'log'> {
  readonly dispatch: Dispatch;
  /** Notified once deliveries are due. */
  readonly due: Signal;
}

/** Worker that sends deliveries as they become due. Stopping aborts attempts under way, which are due again at once. */
export const createDeliveryWorker = ({ log, dispatch, due }: WorkerDeps) => {
  const worker: Worker = {
    name: 'notifier.deliveries',
    start() {
      const stopping = new AbortController();
      const underWay = new Set<Promise<void>>();
      const loop = startPollingLoop({
        pollMs: POLL_MS,
        hints: due,
        onError: (err) => log.error({ err }, 'notifier.deliveries'),
        async turn() {
          const begun = await dispatch.begin(stopping.signal);
          for (const each of begun) {
            const ended = each.finally(() => {
              underWay.delete(ended);
              // There is room for another one.
              loop.wake();
            });
            underWay.add(ended);
          }
          return begun.length > 0;
        },
      });
      return {
        async [Symbol.asyncDispose]() {
          stopping.abort();
          await loop[Symbol.asyncDispose]();
          await Promise.allSettled(underWay);
        },
      };
    },
  };
  return worker;
};
