import { rankOf } from '@landfall/attestation/admission/coverage';
import type { StatementState } from '@landfall/attestation/admission/statement-judgement';

/** State of one requirement of a step, with the reason why it is not proven; the reason is null if it is. */
export interface Link {
  readonly state: StatementState;
  readonly reason: string | null;
}

/** Returns the weakest link; without links, a missing one with the given reason. */
export const weakest = (links: readonly Link[], nothing: string): Link => {
  const [first, ...others] = links;
  if (!first) return { state: 'missing', reason: nothing };
  const { state, reason } = others.reduce(
    (one, other) => (rankOf(other.state) < rankOf(one.state) ? other : one),
    first,
  );
  return { state, reason };
};

export const missing = (reason: string): Link => ({ state: 'missing', reason });
