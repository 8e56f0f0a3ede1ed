import type { VexStatus } from '../generated/operations.ts';
import { scanLabel as t } from '../lib/scan-labels.ts';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';

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
