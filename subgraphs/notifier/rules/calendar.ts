import type { FieldFault } from '@landfall/kernel/core/fault';
import { oneOf, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

/** Days of the week in the order of ISO 8601, from 1. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const weekdays = Type.Array(oneOf(...WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true });

/** Local time of day. */
export const timeOfDay = patterned('^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', 'must be a time such as 08:30');

/** End of a range of times, which may be the end of the day. */
export const endOfRange = patterned('^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', 'must be a time such as 17:00');

/** Day of the month; a negative one counts from its end: -1 is the last. */
export const dayOfMonth = Type.Union([
  Type.Integer({ minimum: 1, maximum: 31 }),
  Type.Integer({ minimum: -31, maximum: -1 }),
]);

/** IANA name, such as Europe/Berlin. */
export const timeZone = Type.String({ minLength: 1, maxLength: 64 });

const isTimeZone = (name: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
};

/** Fault of a time zone that does not exist; none for one that does. */
export const checkTimeZone = (name: string, field: string): readonly FieldFault[] =>
  isTimeZone(name)
    ? []
    : [{ field, message: `${name} is no time zone. Use a name such as Europe/Berlin.`, code: 'VAL_INVALID_FORMAT' }];

/** Calendar by which collected messages are sent as one, in the reader's time zone. Days that fit both lists count. */
export const digestSchedule = Type.Object(
  {
    times: Type.Array(timeOfDay, { minItems: 1, maxItems: 24, uniqueItems: true }),
    weekdays: Type.Optional(weekdays),
    daysOfMonth: Type.Optional(Type.Array(dayOfMonth, { minItems: 1, maxItems: 31 })),
  },
  { additionalProperties: false },
);
export type DigestSchedule = Static<typeof digestSchedule>;
