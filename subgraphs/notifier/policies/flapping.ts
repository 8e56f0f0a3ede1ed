import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import type { Status } from '../events/event.ts';
import { checkMatchers, matcher } from '../rules/matcher.ts';

const DAY_SECONDS = 86_400;

/** Rule by which a group that begins and ends again and again is told once, and stays open until it is quiet. */
export const flappingPolicy = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: freeText(100),
    matchers: Type.Array(matcher, { minItems: 1, maxItems: 50 }),
    /** Changes between firing and resolved in the window that make a group flap. */
    minChanges: Type.Integer({ minimum: 2, maximum: 100 }),
    windowSeconds: Type.Integer({ minimum: 1, maximum: DAY_SECONDS }),
    /** Time without a change after which a group no longer flaps. */
    quietSeconds: Type.Integer({ minimum: 1, maximum: DAY_SECONDS }),
  },
  { additionalProperties: false },
);
export type FlappingPolicy = Static<typeof flappingPolicy>;

/** Faults of a flapping policy beyond its schema. */
export const checkFlappingPolicy = ({ matchers }: Pick<FlappingPolicy, 'matchers'>): readonly FieldFault[] =>
  checkMatchers(matchers);

/** Changes of a group's status. */
export interface FlappingState {
  readonly isFiring: boolean;
  /** Times of the changes that may still count, the oldest first. */
  readonly changedAt: readonly Date[];
  readonly isFlapping: boolean;
}

/** Whether a group flaps: `started` is told, `continues` is not, `ended` is told with the status that remained. */
export type FlappingEffect = 'steady' | 'started' | 'continues' | 'ended';

interface FlappingStep {
  readonly state: FlappingState;
  readonly effect: FlappingEffect;
}

/** State of a group before its first event. */
export const steady: FlappingState = { isFiring: false, changedAt: [], isFlapping: false };

/** Time at which a flapping group is quiet unless it changes before; null for one that does not flap. */
export const quietAt = ({ isFlapping, changedAt }: FlappingState, { quietSeconds }: FlappingPolicy): Date | null => {
  const last = changedAt.at(-1);
  return isFlapping && last ? new Date(last.getTime() + 1_000 * quietSeconds) : null;
};

/** Ends the flapping of a group that is quiet by now. */
export const settleFlapping = (state: FlappingState, policy: FlappingPolicy, now: Date): FlappingStep => {
  const quiet = quietAt(state, policy);
  if (!quiet) return { state, effect: 'steady' };
  if (quiet > now) return { state, effect: 'continues' };
  return { state: { ...state, changedAt: [], isFlapping: false }, effect: 'ended' };
};

/** Records the status of a group; an acknowledged group still fires. Times may not go backwards. */
export const recordStatus = (before: FlappingState, policy: FlappingPolicy, status: Status, at: Date): FlappingStep => {
  const { state } = settleFlapping(before, policy, at);
  const isFiring = status !== 'resolved';
  if (isFiring === state.isFiring) return { state, effect: state.isFlapping ? 'continues' : 'steady' };
  const windowStart = at.getTime() - 1_000 * policy.windowSeconds;
  const changedAt = [...state.changedAt.filter((each) => each.getTime() > windowStart), at].slice(-policy.minChanges);
  const isFlapping = state.isFlapping || changedAt.length >= policy.minChanges;
  const effect = state.isFlapping ? 'continues' : isFlapping ? 'started' : 'steady';
  return { state: { isFiring, changedAt, isFlapping }, effect };
};
