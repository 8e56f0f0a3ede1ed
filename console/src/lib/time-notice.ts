import type { TimeNoticeQuery, TimeState } from '../generated/operations.ts';

/** Source of trust that is out of its budget, and its age in seconds; null where it was never set. */
export type StaleSource = {
  readonly source: 'anchor' | TimeNoticeQuery['timeStatus']['content'][number]['content'];
  readonly state: TimeState;
  readonly ageSeconds: number | null;
};

/**
 * Anchor and content that a decision in a sealed environment should not rest on without a look, the worst first. The
 * budgets are of hours: where feeds come by network, what is a day old would be named on every page.
 */
export function staleSources({ airgap, timeStatus }: TimeNoticeQuery): readonly StaleSource[] {
  const { state, ageSeconds, content } = timeStatus;
  if (airgap.mode !== 'SEALED') return [];
  const sources: readonly StaleSource[] = [{ source: 'anchor', state, ageSeconds }, ...content.map(sourceOf)];
  return sources.filter(isStale).toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const sourceOf = (age: TimeNoticeQuery['timeStatus']['content'][number]): StaleSource => ({
  source: age.content,
  state: age.state,
  ageSeconds: age.ageSeconds,
});

const ORDER: readonly TimeState[] = ['BREACH', 'UNTRUSTED', 'UNKNOWN', 'WARNING', 'FRESH'];

/** A site needs an anchor; content that it never had is named nowhere. */
const isStale = ({ source, state }: StaleSource): boolean =>
  state === 'WARNING' || state === 'BREACH' || (source === 'anchor' && state !== 'FRESH');
