import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { checkTimeZone, timeOfDay, timeZone, WEEKDAYS, type Weekday, weekdays } from '../rules/calendar.ts';
import type { Period, TimeInterval } from './time-interval.ts';
import { minutesOf } from './wall-clock.ts';

/** Hours in which a person or channel gets critical notifications only; others wait for their end. */
export const quietHours = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    /** Name of the person or channel. */
    name: freeText(100),
    timeZone,
    from: timeOfDay,
    /** End; before `from` it is on the next day. */
    to: timeOfDay,
    /** Days on which the hours begin; every day if not given. */
    weekdays: Type.Optional(weekdays),
  },
  { additionalProperties: false },
);
export type QuietHours = Static<typeof quietHours>;

const dayAfter = (day: Weekday): Weekday => WEEKDAYS[(WEEKDAYS.indexOf(day) + 1) % WEEKDAYS.length] ?? day;

const ofDays = (days: readonly Weekday[] | undefined, from: string, to: string): Period => ({
  times: [{ from, to }],
  ...(days && { weekdays: [...days] }),
});

/** Time interval of quiet hours, in which a night is the evening of a day and the morning of the next. */
export const quietInterval = ({ id, name, timeZone, from, to, weekdays }: QuietHours): TimeInterval => ({
  id,
  name,
  timeZone,
  periods:
    minutesOf(from) < minutesOf(to)
      ? [ofDays(weekdays, from, to)]
      : [ofDays(weekdays, from, '24:00'), ...(to === '00:00' ? [] : [ofDays(weekdays?.map(dayAfter), '00:00', to)])],
});

/** Faults of quiet hours beyond their schema. */
export const checkQuietHours = ({
  timeZone,
  from,
  to,
}: Pick<QuietHours, 'timeZone' | 'from' | 'to'>): readonly FieldFault[] => [
  ...checkTimeZone(timeZone, 'timeZone'),
  ...(from === to
    ? [{ field: 'to', message: 'must differ from the beginning', code: 'VAL_INVALID_VALUE' as const }]
    : []),
];
