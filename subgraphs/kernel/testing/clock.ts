import type { Clock } from '../core/clock.ts';

/** Clock that changes only when a test advances it. */
type FixedClock = Clock & { advance(ms: number): void };

/** A clock for tests: it reads `at`, and only `advance` moves it. */
export const fixedClock = (at = '2026-01-15T09:00:00.000Z'): FixedClock => {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    advance(ms) {
      now += ms;
    },
  };
};
