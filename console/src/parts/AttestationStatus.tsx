import type { LandingStatementFragment } from '../generated/operations.ts';
import { t } from '../lib/i18n.ts';
import { StateLabel } from '../ui/StateLabel.tsx';
import { RelativeTime } from '../ui/Time.tsx';

type Attesting = NonNullable<LandingStatementFragment['attesting']>;

/** State of a statement that is still to be signed or logged. */
export const AttestationStatusLabel = ({ state, attempts, error }: Pick<Attesting, 'state' | 'attempts' | 'error'>) => (
  <StateLabel look={state === 'RETRYING' ? 'attention' : 'queued'} wrap>
    {state === 'RETRYING' ? t('attestation.retries', { n: attempts, error: error ?? '' }) : t('attestation.pending')}
  </StateLabel>
);

export const NextAttempt = ({ at }: { readonly at: string }) => (
  <>
    {t('attestation.nextAttempt')} <RelativeTime at={at} as="relative" />
  </>
);
