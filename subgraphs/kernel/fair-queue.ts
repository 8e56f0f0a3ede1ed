/** Lets work in by turns, so that who sends much waits behind who sends little. */
export interface FairQueue {
  /** Runs `work` when it is `name`'s turn. */
  run<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

/** After each turn what others wait for comes first: sockets and timers of this thread. */
const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/**
 * Runs at most `atOnce` pieces of work at a time, and of one name at most `each`. Names take turns, so that a name with
 * one piece waits for no more than one piece of every other name, however many those have.
 */
export const createFairQueue = ({ atOnce, each }: { readonly atOnce: number; readonly each: number }): FairQueue => {
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  /** Lets in the first of the first name that may; the name goes behind all others. */
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
    // Who has just had a turn comes after everybody who waits.
    const queue = waiting.get(name);
    if (queue) {
      waiting.delete(name);
      waiting.set(name, queue);
    }
    next();
  };

  return {
    async run(name, work) {
      await new Promise<void>((enter) => {
        const queue = waiting.get(name) ?? [];
        queue.push(enter);
        waiting.set(name, queue);
        next();
      });
      try {
        await breathe();
        return await work();
      } finally {
        leave(name);
      }
    },
  };
};
