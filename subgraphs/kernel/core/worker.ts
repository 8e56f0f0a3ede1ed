/** Background work. Started only where `--worker` (or all in one) says so; the only code with timers. */
export interface Worker {
  readonly name: string;
  start(): AsyncDisposable;
}
