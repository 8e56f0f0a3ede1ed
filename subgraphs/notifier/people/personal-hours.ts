import Type from 'typebox';
import { timeOfDay, weekdays } from '../rules/calendar.ts';

/** Quiet hours of a person, in the person's time zone. */
export const personalHours = Type.Object({
  from: timeOfDay,
  /** End; before `from` it is on the next day. */
  to: timeOfDay,
  /** Days on which the hours begin; every day if not given. */
  weekdays: Type.Optional(weekdays),
});
