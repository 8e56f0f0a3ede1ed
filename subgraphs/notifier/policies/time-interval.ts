import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { checkTimeZone, dayOfMonth, endOfRange, timeOfDay, timeZone, WEEKDAYS, weekdays } from '../rules/calendar.ts';
import { atTimeOfDay, dateOf, dayInMonth, minutesOf, wallClock } from './wall-clock.ts';

const year = Type.Integer({ minimum: 1970, maximum: 9999 });

/** Times that fit all fields that are given. A time from a range's `from` until before its `to` is in it. */
const period = Type.Object(
  {
    weekdays: Type.Optional(weekdays),
    /** Both ends are in the range; `{from: -3, to: -1}` is the last three days. */
    daysOfMonth: Type.Optional(
      Type.Array(Type.Object({ from: dayOfMonth, to: dayOfMonth }, { additionalProperties: false }), { maxItems: 31 }),
    ),
    months: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 12 }), { minItems: 1, maxItems: 12 })),
    years: Type.Optional(
      Type.Array(Type.Object({ from: year, to: year }, { additionalProperties: false }), { maxItems: 20 }),
    ),
    times: Type.Optional(
      Type.Array(Type.Object({ from: timeOfDay, to: endOfRange }, { additionalProperties: false }), { maxItems: 20 }),
    ),
  },
  { additionalProperties: false },
);
export type Period = Static<typeof period>;

/** Named set of times: those of any of its periods, by the wall clock of its zone. */
export const timeInterval = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: freeText(100),
    timeZone,
    periods: Type.Array(period, { minItems: 1, maxItems: 20 }),
  },
  { additionalProperties: false },
);
export type TimeInterval = Static<typeof timeInterval>;

/** Days that are looked at for the next change. */
const HORIZON_DAYS = 400;

interface Range<T> {
  readonly from: T;
  readonly to: T;
}

/** Whether a list holds something that fits; a list that is not given fits everything. */
const anyOf = <T>(list: readonly T[] | undefined, fits: (each: T) => boolean): boolean =>
  list === undefined || list.some(fits);

const isDayIn = (day: Temporal.PlainDate, { from, to }: Range<number>): boolean =>
  dayInMonth(from, day) <= day.day && day.day <= dayInMonth(to, day);

const coversDay = ({ weekdays, daysOfMonth, months, years }: Period, day: Temporal.PlainDate): boolean =>
  anyOf(weekdays, (weekday) => WEEKDAYS[day.dayOfWeek - 1] === weekday) &&
  anyOf(daysOfMonth, (range) => isDayIn(day, range)) &&
  anyOf(months, (month) => month === day.month) &&
  anyOf(years, ({ from, to }) => from <= day.year && day.year <= to);

const coversTime = ({ times }: Period, { hour, minute }: Temporal.ZonedDateTime): boolean => {
  const now = 60 * hour + minute;
  return anyOf(times, ({ from, to }) => minutesOf(from) <= now && now < minutesOf(to));
};

const covers = ({ periods }: TimeInterval, now: Temporal.ZonedDateTime): boolean => {
  const day = now.toPlainDate();
  return periods.some((period) => coversTime(period, now) && coversDay(period, day));
};

/** Whether an instant is in an interval. */
export const isInInterval = (interval: TimeInterval, at: Date): boolean =>
  covers(interval, wallClock(at, interval.timeZone));

/** Instants of a day at which an interval may begin or end, in order: a time that the clock repeats is two of them. */
const boundaries = ({ periods, timeZone }: TimeInterval, day: Temporal.PlainDate): Temporal.ZonedDateTime[] => {
  const ofDay = periods.filter((period) => coversDay(period, day)).flatMap(({ times = [] }) => times);
  const minutes = new Set([0, ...ofDay.flatMap(({ from, to }) => [minutesOf(from), minutesOf(to)])]);
  const instants = [...minutes].flatMap((minute) => [
    atTimeOfDay(day, minute, timeZone),
    atTimeOfDay(day, minute, timeZone, 'later'),
  ]);
  // The clock jumps over or back to a boundary here.
  const change = atTimeOfDay(day, 0, timeZone).getTimeZoneTransition('next');
  if (change?.toPlainDate().equals(day)) instants.push(change);
  return instants.sort(Temporal.ZonedDateTime.compare);
};

/** Next instant at which an interval begins or ends; null if that is over a year away. */
export const nextChange = (interval: TimeInterval, at: Date): Date | null => {
  const now = wallClock(at, interval.timeZone);
  const isIn = covers(interval, now);
  const today = now.toPlainDate();
  for (let days = 0; days <= HORIZON_DAYS; days += 1) {
    const change = boundaries(interval, today.add({ days })).find(
      (each) => Temporal.ZonedDateTime.compare(each, now) > 0 && covers(interval, each) !== isIn,
    );
    if (change) return dateOf(change);
  }
  return null;
};

/** Whether a range of days of the month ends before it begins in the longest month. */
const isEmptyRange = ({ from, to }: Range<number>): boolean => {
  const longest = { daysInMonth: 31 };
  return dayInMonth(from, longest) > dayInMonth(to, longest);
};

const emptyRange = (field: string, advice: string): FieldFault => ({
  field,
  message: `ends before it begins. ${advice}`,
  code: 'VAL_INVALID_VALUE',
});

const faultsOf = <T>(
  list: readonly T[] | undefined,
  check: (each: T, index: number) => FieldFault | false,
): FieldFault[] => (list ?? []).flatMap((each, index) => check(each, index) || []);

const checkPeriod = ({ times, daysOfMonth, years }: Period, field: string): readonly FieldFault[] => [
  ...faultsOf(
    times,
    ({ from, to }, index) =>
      minutesOf(from) >= minutesOf(to) &&
      emptyRange(`${field}.times.${index}`, 'Write a night as two ranges: 22:00 to 24:00 and 00:00 to 07:00.'),
  ),
  ...faultsOf(
    daysOfMonth,
    (range, index) => isEmptyRange(range) && emptyRange(`${field}.daysOfMonth.${index}`, 'Swap its ends.'),
  ),
  ...faultsOf(years, ({ from, to }, index) => from > to && emptyRange(`${field}.years.${index}`, 'Swap its ends.')),
];

/** Faults of a time interval beyond its schema. */
export const checkTimeInterval = ({
  timeZone,
  periods,
}: Pick<TimeInterval, 'timeZone' | 'periods'>): readonly FieldFault[] => [
  ...checkTimeZone(timeZone, 'timeZone'),
  ...periods.flatMap((period, index) => checkPeriod(period, `periods.${index}`)),
];
