import type { RunsHereFragment } from '../../generated/operations.ts';
import { othersOf } from '../../lib/others.ts';
import { Mark } from '../../ui/Mark.tsx';
import { EstateMark, VerdictMark } from '../../ui/Status.tsx';
import { t } from './words.ts';

/**
 * How what runs here stands: what drifts or is not seen before what was verified when it landed, and what of it is another
 * release than the current one.
 */
export function RunsMarks({ environment }: { readonly environment: RunsHereFragment }) {
  const { estateState, currentDeployment } = environment;
  const strays = estateState !== null && estateState !== 'IN_SYNC';
  return (
    <>
      {strays && <EstateMark state={estateState} />}
      {!strays && currentDeployment !== null && <VerdictMark verdict={currentDeployment.landingVerification} />}
      {othersOf(environment).map(({ id, n, of, what }) => (
        <Mark key={id} shape="attention" tone="attention">
          {t('runs.others', { n, of, what })}
        </Mark>
      ))}
    </>
  );
}
