/** The process's clock, injected. Time that decides, of leases for example, comes from the database: `kernel.now()`. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
