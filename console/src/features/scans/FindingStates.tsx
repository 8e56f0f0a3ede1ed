import type { Reachability, VexStatus } from '../../generated/operations.ts';
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

const VEX: Looks<Exclude<VexStatus, 'NONE'>> = {
  AFFECTED: 'attention',
  UNDER_INVESTIGATION: 'running',
  FIXED: 'verified',
  NOT_AFFECTED: 'verified',
};

/** Statement of a VEX document; quiet where there is none. */
export const VexLabel = ({ state }: { readonly state: VexStatus }) =>
  state === 'NONE' ? (
    <span className="quiet">{t('vex.NONE')}</span>
  ) : (
    <StateLabel look={VEX[state]}>{t(`vex.${state}`)}</StateLabel>
  );
