import { rankOf } from '@landfall/attestation/admission/coverage';
import type { StatementState } from '@landfall/attestation/admission/judge';

/** Something that a step needs, how far it is there, and why no further; the reason is null when it is proven. */
export interface Link {
  readonly state: StatementState;
  readonly reason: string | null;
}

/** A step is as strong as the weakest link that it needs, and one that has none is missing for the reason given. */
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
