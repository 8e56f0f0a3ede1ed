import type { Fault } from '../../core/fault.ts';

/** Seconds after which it is worth asking again, for the codes that promise it (rulings 5). */
const SECONDS: Readonly<Record<string, number>> = { SYS_SERVICE_UNAVAILABLE: 5, SYS_OVERLOADED: 1 };

export const retryAfter = ({ code, details }: Fault): Record<string, string> => {
  const seconds = typeof details?.retryAfter === 'number' ? details.retryAfter : SECONDS[code];
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
};
