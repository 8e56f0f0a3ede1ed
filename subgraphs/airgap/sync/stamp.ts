import { patterned } from '@landfall/kernel/operation/input';

/** Stamp of a hybrid logical clock: milliseconds and a counter, as text that sorts by time. */
export const stampText = patterned('^[0-9]{15}-[0-9]{6}$', 'must be a stamp of a hybrid logical clock', {
  maxLength: 22,
});

export const FIRST_STAMP = `${'0'.repeat(15)}-${'0'.repeat(6)}`;

const LAST_COUNT = 999_999;

const stampOf = (ms: number, count: number): string =>
  `${String(ms).padStart(15, '0')}-${String(count).padStart(6, '0')}`;

/** Milliseconds of a stamp. */
export const msOf = (stamp: string): number => Number(stamp.slice(0, 15));

/** Stamp after `last`, of the clock's time where that is later. */
export const nextStamp = (last: string, now: Date): string => {
  const [ms, count] = [msOf(last), Number(last.slice(16))];
  if (now.getTime() > ms) return stampOf(now.getTime(), 0);
  return count < LAST_COUNT ? stampOf(ms, count + 1) : stampOf(ms + 1, 0);
};
