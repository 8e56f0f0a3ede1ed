import type { RunningReleaseFragment } from '../../generated/operations.ts';
import { otherReleases } from '../../lib/other-releases.ts';
import { EstateLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

/** Labels of what runs in an environment: drift, else the landing verdict, and releases other than the current one. */
export function RunningReleaseLabels({ environment }: { readonly environment: RunningReleaseFragment }) {
  const { estateState, currentDeployment } = environment;
  const strays = estateState !== null && estateState !== 'IN_SYNC';
  return (
    <>
      {strays && <EstateLabel state={estateState} />}
      {!strays && currentDeployment !== null && <VerdictLabel verdict={currentDeployment.landingVerification} />}
      {otherReleases(environment).map(({ id, n, of, what }) => (
        <StateLabel key={id} look="attention">
          {t('runs.others', { n, of, what })}
        </StateLabel>
      ))}
    </>
  );
}
