/** Ages in seconds from which content is stale. */
export interface Thresholds {
  readonly warningSeconds: number;
  readonly breachSeconds: number;
}

export type Freshness = 'fresh' | 'warning' | 'breach';

/** Freshness of an age; a value at a boundary belongs to the worse state. */
export const freshnessOf = (ageSeconds: number, { warningSeconds, breachSeconds }: Thresholds): Freshness => {
  if (ageSeconds >= breachSeconds) return 'breach';
  return ageSeconds >= warningSeconds ? 'warning' : 'fresh';
};

/** Age of a date in whole seconds; a date ahead of now has the age 0. */
export const ageSeconds = (now: Date, date: Date): number =>
  Math.max(0, Math.floor((now.getTime() - date.getTime()) / 1_000));
