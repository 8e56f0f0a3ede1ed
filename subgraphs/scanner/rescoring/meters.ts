import type { Meter } from '@landfall/kernel/system/telemetry';

/** Kind of input, as the tag of `feed_changes` names it (rulings 46). */
const feedTagOf = (role: string): 'concelier' | 'excititor' | 'policy' => {
  if (role.startsWith('feed:')) return 'concelier';
  return role === 'vex' ? 'excititor' : 'policy';
};

/** Part of a cycle in which an error happened. */
type ErrorContext = 'cycle' | 'estate' | 'inputs' | 'scan';

/** Instruments of rescoring (spec 6.7). */
export interface RescoreMeters {
  feedChanged(role: string): void;
  rescored(isDeterministic: boolean): void;
  failed(context: ErrorContext): void;
  cycleEnded(ms: number): void;
}

/** Creates the instruments; without a meter nothing is measured. */
export const createRescoreMeters = (meter: Meter | undefined): RescoreMeters => {
  const changes = meter?.counter('landfall.scanner.feed_changes', {
    description: 'Changes of feeds, VEX and policies that rescoring found.',
  });
  const rescores = meter?.counter('landfall.scanner.rescores', { description: 'Scans that were frozen again.' });
  const errors = meter?.counter('landfall.scanner.rescore_errors', {
    description: 'Errors of rescoring by the part of the cycle.',
  });
  const duration = meter?.histogram('landfall.scanner.rescore_cycle_duration_ms', {
    description: 'Duration of a cycle of rescoring.',
    unit: 'ms',
  });
  return {
    feedChanged: (role) => changes?.({ feed: feedTagOf(role) }),
    rescored: (deterministic) => rescores?.({ deterministic }),
    failed: (context) => errors?.({ context }),
    cycleEnded: (ms) => duration?.(ms),
  };
};
