/** Wakes workers of the same process; those of others poll. */
export interface Signal {
  notify(): void;
  listen(onSignal: () => void): Disposable;
}

export const createSignal = (): Signal => {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of listeners) listener();
    },
    listen: (onSignal) => {
      listeners.add(onSignal);
      return { [Symbol.dispose]: () => void listeners.delete(onSignal) };
    },
  };
};
