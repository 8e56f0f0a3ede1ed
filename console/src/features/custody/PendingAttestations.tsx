import type { CustodyChainQuery } from '../../generated/operations.ts';
import { AttestationStatusLabel, NextAttempt } from '../../parts/AttestationStatus.tsx';
import { DeploymentPageLink } from '../../ui/EntityLink.tsx';
import { t } from './labels.ts';

type Release = NonNullable<CustodyChainQuery['release']>;

/** Landings whose statement is still to be signed or logged, and when that is tried next. */
export function PendingAttestations({ release: { landscape } }: { readonly release: Release }) {
  return landscape.map(({ environment, deployment }) => {
    if (deployment === null || deployment.attesting === null || deployment.attesting.state === 'ATTESTED') return null;
    const { attesting } = deployment;
    return (
      <div key={deployment.id} className="soft">
        <AttestationStatusLabel {...attesting} />{' '}
        {attesting.nextAttemptAt !== null && (
          <>
            <NextAttempt at={attesting.nextAttemptAt} />.{' '}
          </>
        )}
        <DeploymentPageLink id={deployment.id}>
          {t('attestation.landing', { where: environment.name })}
        </DeploymentPageLink>
      </div>
    );
  });
}
