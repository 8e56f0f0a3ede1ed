/** Background work, started only by a process with the worker role. No other code has timers. */
export interface Worker {
  readonly name: string;
  start(): AsyncDisposable;
}
