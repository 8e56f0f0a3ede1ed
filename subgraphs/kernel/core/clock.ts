/** Clock of the process, injected. Decisions such as lease expiry use the database's time instead: `kernel.now()`. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
