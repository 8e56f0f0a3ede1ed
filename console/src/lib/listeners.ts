/** Listeners of a value outside React, for `useSyncExternalStore`. */
export function createListeners<T = void>() {
  const listeners = new Set<(value: T) => void>();
  return {
    subscribe(listener: (value: T) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(value: T): void {
      for (const listener of listeners) listener(value);
    },
  };
}
