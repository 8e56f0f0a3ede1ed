import type { Clock } from '@landfall/kernel/core/clock';

interface BreakerOptions {
  readonly clock: Clock;
  /** Failures in a row after which no call is made. */
  readonly threshold: number;
  /** Milliseconds from the last failure to the one call that tries again. */
  readonly halfOpenMs: number;
  /** Receives each failure. `isOpen`: no call is made for a while. */
  onFailure(error: unknown, isOpen: boolean): void;
}

/** Function that makes a call unless too many failed before. @returns undefined where it failed or was not made */
type CircuitBreaker = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/** Creates a circuit breaker: it opens after some failures in a row, and closes after one call that succeeds. */
export const createCircuitBreaker = ({ clock, threshold, halfOpenMs, onFailure }: BreakerOptions): CircuitBreaker => {
  let failures = 0;
  let retryAtMs = 0;
  let isTrying = false;
  return async (call) => {
    const isTrial = failures >= threshold;
    if (isTrial && (isTrying || clock.now().getTime() < retryAtMs)) return undefined;
    isTrying ||= isTrial;
    try {
      const value = await call();
      failures = 0;
      return value;
    } catch (error) {
      failures += 1;
      retryAtMs = clock.now().getTime() + halfOpenMs;
      onFailure(error, failures >= threshold);
      return undefined;
    } finally {
      if (isTrial) isTrying = false;
    }
  };
};
