import type { FieldFault } from '@landfall/kernel/core/fault';
import Type, { type Static } from 'typebox';
import { type Matcher, matcher } from './matcher.ts';
import { type Action, action, digest } from './rule.ts';

/** Condition as people send it: values are texts, of which `in` and `nin` take several and all others one. */
export const matcherInput = Type.Object({
  path: matcher.properties.path,
  op: matcher.properties.op,
  values: Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 100 }),
});
export type MatcherInput = Static<typeof matcherInput>;

export const matcherInputs = Type.Array(matcherInput, { maxItems: 50 });

const isList = (op: Matcher['op']): boolean => op === 'in' || op === 'nin';

const storedValue = ({ op, values }: MatcherInput): Matcher['value'] => {
  if (isList(op)) return [...values];
  const [value = ''] = values;
  return op === 'exists' && (value === 'true' || value === 'false') ? value === 'true' : value;
};

/** Matchers in the form of the rules. */
export const matchersOf = (inputs: readonly MatcherInput[]): Matcher[] =>
  inputs.map((input) => ({ path: input.path, op: input.op, value: storedValue(input) }));

/** Faults of matchers that have more than one value where the operator takes one. */
export const checkValues = (inputs: readonly MatcherInput[], field = 'matchers'): readonly FieldFault[] =>
  inputs.flatMap(({ op, values }, at): FieldFault[] =>
    values.length === 1 || isList(op)
      ? []
      : [{ field: `${field}.${at}.values`, message: `must be one value for ${op}`, code: 'VAL_INVALID_VALUE' }],
  );

/** Values of a matcher as people sent them. */
export const valuesOf = ({ value }: Matcher): string[] => [value].flat().map(String);

const { channelId, recipients, templateKey, locale, throttle, groupBy, mutedDuring, activeDuring } = action.properties;
const { groupWaitSeconds, groupIntervalSeconds, repeatIntervalSeconds } = action.properties;
const { schedule, timeZone, sendsFirst } = digest.properties;

/** Action as people send it; what is left out has no effect. */
const actionInput = Type.Object({
  channelId,
  recipients,
  templateKey,
  locale,
  throttle,
  groupBy: Type.Optional(groupBy),
  groupWaitSeconds: Type.Optional(groupWaitSeconds),
  groupIntervalSeconds: Type.Optional(groupIntervalSeconds),
  repeatIntervalSeconds: Type.Optional(repeatIntervalSeconds),
  digest: Type.Optional(
    Type.Object({ schedule, timeZone: Type.Optional(timeZone), sendsFirst: Type.Optional(sendsFirst) }),
  ),
  mutedDuring: Type.Optional(mutedDuring),
  activeDuring: Type.Optional(activeDuring),
});

export type ActionInput = Static<typeof actionInput>;

export const actionInputs = Type.Array(actionInput, { maxItems: 20 });

/** Timing of groups unless it is given, which is Alertmanager's. */
const TIMING = { groupWaitSeconds: 30, groupIntervalSeconds: 300, repeatIntervalSeconds: 14_400 };

/** Actions in the form of the rules. */
export const actionsOf = (inputs: readonly ActionInput[]): Action[] =>
  inputs.map(
    ({ groupBy: paths = [], digest: collected, mutedDuring: muted = [], activeDuring: active = [], ...input }) => ({
      ...input,
      groupBy: paths,
      groupWaitSeconds: input.groupWaitSeconds ?? TIMING.groupWaitSeconds,
      groupIntervalSeconds: input.groupIntervalSeconds ?? TIMING.groupIntervalSeconds,
      repeatIntervalSeconds: input.repeatIntervalSeconds ?? TIMING.repeatIntervalSeconds,
      ...(collected && {
        digest: {
          schedule: collected.schedule,
          timeZone: collected.timeZone ?? 'UTC',
          sendsFirst: collected.sendsFirst ?? true,
        },
      }),
      mutedDuring: muted,
      activeDuring: active,
    }),
  );
