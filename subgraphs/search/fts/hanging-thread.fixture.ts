import { serve } from './thread.ts';

/** Requests of a thread that hangs. */
export interface HangingRequests {
  echo: { readonly ask: string; readonly answer: string };
  /** Is never done. */
  spin: { readonly ask: null; readonly answer: null };
  /** Takes as many milliseconds, and nothing is said of how many it may take. */
  work: { readonly ask: number; readonly answer: null };
}

serve<HangingRequests>({
  echo: (text) => text,
  spin: () => {
    for (;;);
  },
  work: (ms) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return null;
  },
});
