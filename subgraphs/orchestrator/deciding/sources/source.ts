import * as candidates from './candidates.store.ts';
import * as refused from './refused-candidates.store.ts';
import * as store from './sources.store.ts';

export const { listByIds, listByProducts } = store;
export const { listByProducts: listRefused } = refused;
export const { listNewest: listNewestCandidates, prune: pruneCandidates } = candidates;
export type ReleaseSource = store.ReleaseSource;
export type ReleaseCandidate = candidates.ReleaseCandidate;
export type RefusedCandidate = refused.RefusedCandidate;

/** State of a source's polling. */
export type SourceState = 'disabled' | 'waiting' | 'selected' | 'no_match' | 'failing';

/** State of a source by the result of its last poll. */
export const stateOf = ({ isEnabled, lastPollAt, failures, problem }: store.ReleaseSource): SourceState => {
  if (!isEnabled) return 'disabled';
  if (failures > 0) return 'failing';
  if (problem !== null) return 'no_match';
  return lastPollAt ? 'selected' : 'waiting';
};
