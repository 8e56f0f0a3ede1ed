import type { Hints } from '../events/hint.ts';

const listen = (): Disposable => ({ [Symbol.dispose]: () => undefined });

/** Hints without a listener, for programs of tests that make single turns. */
export const noHints: Hints = {
  publish: () => undefined,
  of: () => ({ listen }),
  listen,
  close: async () => undefined,
};
