import type { Reachability } from '../../generated/operations.ts';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

const REACHABILITY: Looks<Reachability> = {
  REACHABLE: 'failed',
  POTENTIALLY_REACHABLE: 'attention',
  UNKNOWN: 'unobserved',
  UNREACHABLE: 'missing',
};

export const ReachabilityLabel = ({ state }: { readonly state: Reachability }) => (
  <StateLabel look={REACHABILITY[state]}>{t(`reachability.${state}`)}</StateLabel>
);
