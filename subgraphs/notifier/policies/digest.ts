import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { type DigestSchedule, WEEKDAYS } from '../rules/calendar.ts';
import type { Digest, Rule } from '../rules/rule.ts';
import { atTimeOfDay, dayInMonth, minutesOf, wallClock } from './wall-clock.ts';

/** Days that are looked at for the next digest: the 31st is a given weekday at least once in them. */
const HORIZON_DAYS = 1_500;

const isDigestDay = ({ weekdays, daysOfMonth }: DigestSchedule, day: Temporal.PlainDate): boolean =>
  (weekdays === undefined || weekdays.some((weekday) => WEEKDAYS[day.dayOfWeek - 1] === weekday)) &&
  (daysOfMonth === undefined || daysOfMonth.some((each) => dayInMonth(each, day) === day.day));

/**
 * Next time of a digest after an instant, by the wall clock of its reader's zone. A time that the clock skips comes
 * after the change, one that it repeats comes once.
 */
export const nextDigestAt = (schedule: DigestSchedule, timeZone: string, after: Date): Date => {
  const today = wallClock(after, timeZone).toPlainDate();
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    const day = today.add({ days });
    if (!isDigestDay(schedule, day)) continue;
    const next = schedule.times
      .map((time) => atTimeOfDay(day, minutesOf(time), timeZone).epochMilliseconds)
      .sort((a, b) => a - b)
      .find((each) => each > after.getTime());
    if (next !== undefined) return new Date(next);
  }
  throw new RangeError('A digest schedule that passed its schema has a day within four years');
};

/** Key of the digest of an action, as 64 hex digits. Each contact method has one of its own. */
export const digestKey = ({ id }: Pick<Rule, 'id'>, actionIndex: number, methodId?: string): string =>
  sha256Hex(JSON.stringify(['digest', id, actionIndex, ...(methodId ? [methodId] : [])]));

/** Place of a message in the digests of its reader. */
interface DigestPlace {
  /** Whether it goes out at once, as a message of its own. */
  readonly sendsNow: boolean;
  /** Time of the digest for which messages are collected from now on. */
  readonly collectsUntil: Date;
}

/**
 * Places one more message: the first is sent at once where the digest `sendsFirst`, and begins the collection of the
 * others. One that comes before an overdue digest was sent still belongs to it.
 * @param collectsUntil time of the digest that is being collected; null if none is
 */
export const placeInDigest = (
  { schedule, sendsFirst }: Pick<Digest, 'schedule' | 'sendsFirst'>,
  timeZone: string,
  collectsUntil: Date | null,
  now: Date,
): DigestPlace =>
  collectsUntil
    ? { sendsNow: false, collectsUntil }
    : { sendsNow: sendsFirst, collectsUntil: nextDigestAt(schedule, timeZone, now) };

/**
 * Next step of a digest whose time has come. An empty one is never sent and ends the collection, so the next message is
 * a first one again.
 */
export const closeDigest = (
  { schedule }: Pick<Digest, 'schedule'>,
  timeZone: string,
  messageCount: number,
  now: Date,
): { readonly sends: boolean; readonly collectsUntil: Date | null } =>
  messageCount > 0
    ? { sends: true, collectsUntil: nextDigestAt(schedule, timeZone, now) }
    : { sends: false, collectsUntil: null };
