import type { RunningReleaseFragment } from '../../generated/operations.ts';
import { otherReleases } from '../../lib/other-releases.ts';
import { EstateLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import { worstVerdict } from './worst-verdict.ts';

/** Labels of what runs in an environment: drift, else the worst landing verdict, and releases other than the current ones. */
export function RunningReleaseLabels({ environment }: { readonly environment: RunningReleaseFragment }) {
  const { estateState, products } = environment;
  const verdict = worstVerdict(products.flatMap(({ currentDeployment }) => currentDeployment ?? []));
  const drifted = estateState !== null && estateState !== 'IN_SYNC';
  return (
    <>
      {drifted && <EstateLabel state={estateState} />}
      {!drifted && verdict !== undefined && <VerdictLabel verdict={verdict} />}
      {otherReleases(environment).map(({ id, n, of, what: name }) => (
        <StateLabel key={id} look="attention">
          {t('runs.others', { n, of, what: name })}
        </StateLabel>
      ))}
    </>
  );
}
