import type { Database } from '@landfall/kernel/db/database';
import type { Hints } from '@landfall/kernel/events/hint';
import type { Log } from '@landfall/kernel/system/log';
import { MAX_ATTEMPTS } from '../../catalogue/agents/liveness.ts';
import { listSummoned } from './tasks.store.ts';

/** Poll interval in milliseconds, since an expired lease sends no hint. */
const POLL_MS = 1_000;

interface NotificationDeps {
  readonly database: Database;
  readonly hints: Hints;
  readonly log: Log;
}

/** One waiting poll. */
interface PollSubscription extends Disposable {
  /** Waits for a notification; returns false when the time is over or the client disconnected. */
  awaitNotification(signal: AbortSignal, timeoutMs: number): Promise<boolean>;
}

export type TaskNotifications = ReturnType<typeof createTaskNotifications>;

/** Creates the notifications that wake waiting polls; one statement serves all polls of a process. */
export const createTaskNotifications = ({ database, hints, log }: NotificationDeps) => {
  const waiting = new Map<string, Set<() => void>>();
  let isLooking = false;
  let isWanted = false;
  let looking: Disposable | undefined;
  const closing = new AbortController();

  const wakePolls = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      const summoned = await database.system.read((query) => listSummoned(query, MAX_ATTEMPTS, [...waiting.keys()]));
      for (const { agentId } of summoned) for (const notify of waiting.get(agentId) ?? []) notify();
    }
  };

  const look = (): void => {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    wakePolls()
      .catch((error: unknown) => log.error({ err: error }, 'task notifications'))
      .finally(() => {
        isLooking = false;
      });
  };

  const begin = (): Disposable => {
    const timer = setInterval(look, POLL_MS);
    const listening = hints.listen(look);
    return {
      [Symbol.dispose]() {
        clearInterval(timer);
        listening[Symbol.dispose]();
      },
    };
  };

  const join = (agentId: string, notify: () => void): Disposable => {
    const polls = waiting.get(agentId) ?? new Set();
    waiting.set(agentId, polls.add(notify));
    looking ??= begin();
    look();
    return {
      [Symbol.dispose]() {
        polls.delete(notify);
        if (polls.size === 0) waiting.delete(agentId);
        if (waiting.size > 0) return;
        looking?.[Symbol.dispose]();
        looking = undefined;
      },
    };
  };

  return {
    /** Registers a poll and checks at once for waiting tasks. */
    listen(agentId: string): PollSubscription {
      let isNotified = false;
      let notify = (): void => {};
      const joined = join(agentId, () => {
        isNotified = true;
        notify();
      });
      return {
        async awaitNotification(signal, timeoutMs) {
          const { promise, resolve } = Promise.withResolvers<void>();
          notify = resolve;
          const timer = setTimeout(resolve, Math.max(0, timeoutMs));
          const leave = (): void => resolve();
          for (const end of [signal, closing.signal]) end.addEventListener('abort', leave, { once: true });
          if (isNotified || signal.aborted || closing.signal.aborted) resolve();
          await promise;
          clearTimeout(timer);
          for (const end of [signal, closing.signal]) end.removeEventListener('abort', leave);
          const wasNotified = isNotified && !signal.aborted;
          isNotified = false;
          return wasNotified;
        },
        [Symbol.dispose]: () => joined[Symbol.dispose](),
      };
    },

    /** Ends every wait, present and later, so that a poll does not delay the stop of the process. */
    close: (): void => closing.abort(),
  };
};
