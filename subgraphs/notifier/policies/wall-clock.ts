import { createLru } from '@landfall/kernel/core/lru';

const MAX_ZONES = 600;

/** Wall clock of a time zone at an instant. */
export const wallClock = (at: Date, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

export const dateOf = (time: Temporal.ZonedDateTime): Date => new Date(time.epochMilliseconds);

/** Minutes since midnight of a time of day, such as 08:30 or 24:00. */
export const minutesOf = (timeOfDay: string): number =>
  60 * Number(timeOfDay.slice(0, 2)) + Number(timeOfDay.slice(3, 5));

/**
 * Wall clock at a time of day. `compatible` moves a time that the clock skips to after the change and takes the first of
 * two that it repeats; `later` takes the second.
 */
export const atTimeOfDay = (
  day: Temporal.PlainDate,
  minutes: number,
  timeZone: string,
  disambiguation: 'compatible' | 'later' = 'compatible',
): Temporal.ZonedDateTime =>
  day
    .add({ days: Math.floor(minutes / 1440) })
    .toPlainDateTime({ hour: Math.floor((minutes % 1440) / 60), minute: minutes % 60 })
    .toZonedDateTime(timeZone, { disambiguation });

/** Day of the month from 1, where a negative one counts from the month's end; it may lie outside the month. */
export const dayInMonth = (day: number, { daysInMonth }: { readonly daysInMonth: number }): number =>
  day < 0 ? daysInMonth + day + 1 : day;

const formats = createLru<string, { readonly time: Intl.DateTimeFormat; readonly date: Intl.DateTimeFormat }>({
  most: MAX_ZONES,
});

const formatsOf = (timeZone: string) => {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = {
    time: new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }),
    date: new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' }),
  };
  formats.set(timeZone, made);
  return made;
};

/** Time as people say it: `14:00` today, `28 Nov 2026, 14:00` on another day. */
export const timeInWords = (time: Date, now: Date, timeZone: string): string => {
  const format = formatsOf(timeZone);
  const date = format.date.format(time);
  return date === format.date.format(now) ? format.time.format(time) : `${date}, ${format.time.format(time)}`;
};

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Length of time as people say it: `10 minutes`, `1 day`, `90 seconds`. */
export const durationInWords = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? (['second', 1] as const);
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};
