import type { TimeNoticeQuery, TimeState } from '../generated/operations.ts';

/** Source of trust that is out of its budget, and its age in seconds; null where it was never set. */
export type StaleSource = {
  readonly source: 'anchor' | TimeNoticeQuery['timeStatus']['content'][number]['content'];
  readonly state: TimeState;
  readonly ageSeconds: number | null;
};

/** Anchor and content that a decision should not rest on without a look, the worst first. */
export function staleSources({ airgap, timeStatus }: TimeNoticeQuery): readonly StaleSource[] {
  const { state, ageSeconds, content } = timeStatus;
  const isSealed = airgap.mode === 'SEALED';
  const sources: readonly StaleSource[] = [{ source: 'anchor', state, ageSeconds }, ...content.map(sourceOf)];
  return sources
    .filter((each) => isStale(each, isSealed))
    .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const sourceOf = (age: TimeNoticeQuery['timeStatus']['content'][number]): StaleSource => ({
  source: age.content,
  state: age.state,
  ageSeconds: age.ageSeconds,
});

const ORDER: readonly TimeState[] = ['BREACH', 'UNTRUSTED', 'UNKNOWN', 'WARNING', 'FRESH'];

/** An environment that is not sealed needs no anchor and publishes its own policies; what is there and old is named. */
const isStale = ({ source, state }: StaleSource, isSealed: boolean): boolean =>
  state === 'WARNING' || state === 'BREACH'
    ? isSealed || source !== 'POLICY'
    : isSealed && source === 'anchor' && state !== 'FRESH';
