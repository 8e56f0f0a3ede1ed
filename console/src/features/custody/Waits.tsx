import type { ChainQuery } from '../../generated/operations.ts';
import { t } from '../../lib/i18n.ts';
import { Link } from '../../ui/Link.tsx';
import { Distance } from '../../ui/Time.tsx';

type Release = NonNullable<ChainQuery['release']>;

/** Landings whose statement is still to be signed or logged, and when that is tried next. */
export function Waits({ release: { landscape } }: { readonly release: Release }) {
  return landscape.map(({ environment, deployment }) => {
    if (deployment === null || deployment.attesting === null || deployment.attesting.state === 'ATTESTED') return null;
    const { state, error, attempts, nextAttemptAt } = deployment.attesting;
    return (
      <p key={deployment.id} className="soft">
        <Link to="/deployments/$id" params={{ id: deployment.id }}>
          {environment.name}
        </Link>{' '}
        {state === 'WAITING' ? t('attesting.waits') : t('attesting.retries', { n: attempts, error: error ?? '' })}{' '}
        {nextAttemptAt !== null && (
          <>
            {t('attesting.next')} <Distance at={nextAttemptAt} as="relative" />.
          </>
        )}
      </p>
    );
  });
}
