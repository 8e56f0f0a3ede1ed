import type { ChainQuery } from '../../generated/operations.ts';
import { Link } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type Release = NonNullable<ChainQuery['release']>;

/** Landings whose statement is still to be signed or logged, and when that is tried next. */
export function PendingAttestations({ release: { landscape } }: { readonly release: Release }) {
  return landscape.map(({ environment, deployment }) => {
    if (deployment === null || deployment.attesting === null || deployment.attesting.state === 'ATTESTED') return null;
    const { state, error, attempts, nextAttemptAt } = deployment.attesting;
    const isRetried = state === 'RETRYING';
    return (
      <div key={deployment.id} className="soft">
        <StateLabel shape={isRetried ? 'attention' : 'queued'} tone={isRetried ? 'attention' : 'muted'} wrap>
          {isRetried ? t('attesting.retries', { n: attempts, error: error ?? '' }) : t('attesting.waits')}
        </StateLabel>{' '}
        {nextAttemptAt !== null && (
          <>
            {t('attesting.next')} <RelativeTime at={nextAttemptAt} as="relative" />.{' '}
          </>
        )}
        <Link to="/deployments/$id" params={{ id: deployment.id }}>
          {t('attesting.landing', { where: environment.name })}
        </Link>
      </div>
    );
  });
}
