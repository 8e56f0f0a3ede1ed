import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText, instant } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { checkMatchers, matcher } from '../rules/matcher.ts';

const window = {
  id: Type.String({ format: 'uuid' }),
  name: freeText(100),
  /** All must match. One at least, so that nobody silences everything by leaving them out. */
  matchers: Type.Array(matcher, { minItems: 1, maxItems: 50 }),
  startsAt: instant,
  /** Exclusive. */
  endsAt: instant,
};

/** Time in which nobody is told of matching events. */
export const silence = Type.Object(
  {
    ...window,
    reason: freeText(500),
    /** Name of the person who made it, or the id of a client. */
    createdBy: freeText(300),
  },
  { additionalProperties: false },
);
export type Silence = Static<typeof silence>;

/** Planned work: nobody is told of matching events that begin in its time; acknowledged and resolved ones pass. */
export const maintenance = Type.Object(window, { additionalProperties: false });
export type Maintenance = Static<typeof maintenance>;

/** Faults of a silence or maintenance beyond its schema. */
export const checkWindow = ({
  matchers,
  startsAt,
  endsAt,
}: Pick<Maintenance, 'matchers' | 'startsAt' | 'endsAt'>): readonly FieldFault[] => [
  ...checkMatchers(matchers),
  ...(Date.parse(startsAt) < Date.parse(endsAt)
    ? []
    : [
        {
          field: 'endsAt',
          message: 'must be after the beginning, which is now unless startsAt is given',
          code: 'VAL_INVALID_VALUE' as const,
        },
      ]),
];
