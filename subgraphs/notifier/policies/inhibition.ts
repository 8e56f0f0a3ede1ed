import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import type { NotificationEvent } from '../events/event.ts';
import { checkMatchers, checkPath, matcher, matchesAll } from '../rules/matcher.ts';
import { encodeValues, MAX_PATH } from '../rules/path.ts';

const side = Type.Array(matcher, { minItems: 1, maxItems: 50 });

/** Rule that keeps events (targets) quiet while another one (source) fires that has the same values at `equal`. */
export const inhibition = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: freeText(100),
    sourceMatchers: side,
    targetMatchers: side,
    /** Paths; two missing values are the same. */
    equal: Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATH }), { maxItems: 20 }),
  },
  { additionalProperties: false },
);
export type Inhibition = Static<typeof inhibition>;

/** Faults of an inhibition beyond its schema. */
export const checkInhibition = ({
  sourceMatchers,
  targetMatchers,
  equal,
}: Pick<Inhibition, 'sourceMatchers' | 'targetMatchers' | 'equal'>): readonly FieldFault[] => [
  ...checkMatchers(sourceMatchers, 'sourceMatchers'),
  ...checkMatchers(targetMatchers, 'targetMatchers'),
  ...equal.flatMap((path, index) => checkPath(path, `equal.${index}`) ?? []),
];

/** Inhibition that is ready to be applied. */
export interface CompiledInhibition {
  readonly inhibition: Inhibition;
  /** Event that keeps a target quiet, among those that fire; undefined if none does. */
  readonly sourceOf: (target: NotificationEvent, firing: readonly NotificationEvent[]) => NotificationEvent | undefined;
}

export const compileInhibition = (inhibition: Inhibition): CompiledInhibition => {
  const { equal } = inhibition;
  const isSource = matchesAll(inhibition.sourceMatchers);
  const isTarget = matchesAll(inhibition.targetMatchers);
  return {
    inhibition,
    sourceOf(target, firing) {
      if (!isTarget(target)) return undefined;
      // Events that are both source and target would keep themselves and each other quiet, so that nobody is told.
      const isBoth = isSource(target);
      const values = encodeValues(target, equal);
      return firing.find(
        (source) =>
          source.status === 'firing' &&
          isSource(source) &&
          !(isBoth && isTarget(source)) &&
          encodeValues(source, equal) === values,
      );
    },
  };
};
