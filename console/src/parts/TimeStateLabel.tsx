import type { TimeState } from '../generated/operations.ts';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { t } from './trusted-time-labels.ts';

const LOOKS: Looks<TimeState> = {
  FRESH: 'verified',
  WARNING: 'attention',
  BREACH: 'failed',
  UNTRUSTED: 'unverified',
  UNKNOWN: 'unobserved',
};

/** State of a time anchor or of content by its age: a word and a shape. */
export const TimeStateLabel = ({ state }: { readonly state: TimeState }) => (
  <StateLabel look={LOOKS[state]}>{t(`timeState.${state}`)}</StateLabel>
);
