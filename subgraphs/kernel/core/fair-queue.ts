import { Fault } from './fault.ts';

export interface FairQueueOptions {
  /** Maximum number of running tasks of all names; the number of names by default. */
  readonly atOnce?: number;
  /** Maximum number of running tasks of one name. */
  readonly each: number;
  /** Longest time until a turn, in milliseconds. */
  readonly waitMs: number;
}

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 5;

/** Lets sockets and timers of this thread run before the next piece of work. */
const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Runs at most `atOnce` pieces of work at a time, and at most `each` of one name. Names take turns. */
export const createFairQueue = ({ atOnce = Infinity, each, waitMs }: FairQueueOptions) => {
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  /**
   * Starts the first waiting request of the first name below its limit; the name then moves to the end of the round.
   */
  const next = (): void => {
    for (const [name, queue] of waiting) {
      if (total >= atOnce) return;
      const count = running.get(name) ?? 0;
      if (count >= each) continue;
      const enter = queue.shift();
      waiting.delete(name);
      if (queue.length > 0) waiting.set(name, queue);
      if (!enter) continue;
      total += 1;
      running.set(name, count + 1);
      enter();
      next();
      return;
    }
  };

  const leave = (name: string): void => {
    total -= 1;
    const count = (running.get(name) ?? 1) - 1;
    if (count > 0) running.set(name, count);
    else running.delete(name);
    // A name whose work has just started goes behind all others.
    const queue = waiting.get(name);
    if (queue) {
      waiting.delete(name);
      waiting.set(name, queue);
    }
    next();
  };

  /** Removes a piece that has waited for too long. */
  const giveUp = (name: string, enter: () => void): void => {
    const remaining = waiting.get(name)?.filter((other) => other !== enter) ?? [];
    if (remaining.length > 0) waiting.set(name, remaining);
    else waiting.delete(name);
  };

  const turnOf = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        giveUp(name, enter);
        const details = { waitMs, retryAfter: RETRY_AFTER };
        reject(new Fault('SYS_OVERLOADED', 'Too much of this is under way for your tenant. Try again.', details));
      }, waitMs);
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const queue = waiting.get(name) ?? [];
      queue.push(enter);
      waiting.set(name, queue);
      next();
    });

  return {
    /** Runs `work` when it is the turn of `name`. Throws SYS_OVERLOADED if the turn does not come in time. */
    async run<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
      await turnOf(name);
      try {
        await yieldToEventLoop();
        return await work();
      } finally {
        leave(name);
      }
    },
  };
};
