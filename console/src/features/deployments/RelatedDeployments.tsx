import type { DeploymentQuery } from '../../generated/operations.ts';
import { Link } from '../../ui/Link.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { t } from './labels.ts';

type Deployment = NonNullable<DeploymentQuery['deployment']>;

/** Related deployments, the release, and how the strategy behaves here. */
export function RelatedDeployments({
  deployment: { kind, status, release, undoes, undoneBy, retryOf, reason, variableSetVersion },
  behaviour,
}: {
  readonly deployment: Deployment;
  readonly behaviour: string;
}) {
  return (
    <ul className={styles.relations}>
      {reason !== null && kind === 'DEPLOY' && <li>{t(`reason.${stopped(status)}`, { reason })}</li>}
      {undoneBy !== null && (
        <li>
          {t(undoneBy.status === 'COMPLETED' ? 'relation.rolledBack' : 'relation.beingRolledBack')}{' '}
          <Link to="/deployments/$id" params={{ id: undoneBy.id }}>
            {t('relation.rollback', { what: `${undoneBy.release.name} ${undoneBy.release.semver}` })}
          </Link>
        </li>
      )}
      {undoes !== null && (
        <li>
          {t('relation.rollsBack')}{' '}
          <Link to="/deployments/$id" params={{ id: undoes.id }}>
            {t('relation.deployment', { what: `${undoes.release.name} ${undoes.release.semver}` })}
          </Link>
        </li>
      )}
      {retryOf !== null && (
        <li>
          {t('relation.retry')}{' '}
          <Link to="/deployments/$id" params={{ id: retryOf.id }}>
            {t('relation.failed')}
          </Link>{' '}
          <RelativeTime at={retryOf.createdAt} as="relative" />
        </li>
      )}
      <li>
        <Link to="/releases/$id" params={{ id: release.id }}>
          {t('relation.release', { what: `${release.name} ${release.semver}` })}
        </Link>
        {variableSetVersion !== null && <>, {t('relation.variables', { n: variableSetVersion })}</>}
      </li>
      <li>{behaviour}</li>
    </ul>
  );
}

/** Effect of the reason that a person gave: cancelled, halted, or rolled back. */
const stopped = (status: Deployment['status']) => {
  if (status === 'CANCELLED' || status === 'CANCELLING') return 'cancelled';
  return status === 'FAILED' ? 'halted' : 'rolledBack';
};
