import type { LandingStatementFragment } from '../../generated/operations.ts';
import { AttestationStatusLabel, NextAttempt } from '../../parts/AttestationStatus.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import styles from './Deployment.module.css';
import { t } from './labels.ts';

/** Signed statement of the landing: in the log, or the reason why not yet. Renders nothing where none is signed. */
export function StatementStatus({ deployment }: { readonly deployment: LandingStatementFragment }) {
  const { attestation, attesting } = deployment;
  if (attestation === null && attesting === null) return null;
  return (
    <div>
      <dt>{t('statusSummary.statement')}</dt>
      {attestation === null ? (
        <PendingStatement deployment={deployment} />
      ) : (
        <LoggedStatement deployment={deployment} />
      )}
    </div>
  );
}

function LoggedStatement({ deployment: { release, attestation } }: { readonly deployment: LandingStatementFragment }) {
  if (attestation === null) return null;
  const { ref, verifiedAt, log } = attestation;
  return (
    <>
      <dd>
        <CustodyLabel state={verifiedAt === null ? 'SIGNED' : 'PROVEN'} />
        <span className="soft">{t('statusSummary.logged', { n: Number(log.index) })}</span>
      </dd>
      <dd className={styles.aside}>
        <Link to="/custody/$releaseId" params={{ releaseId: release.id }} search={{ link: 'deploy', statement: ref }}>
          {t('statusSummary.custody')}
        </Link>
      </dd>
    </>
  );
}

function PendingStatement({ deployment: { attesting } }: { readonly deployment: LandingStatementFragment }) {
  if (attesting === null) return null;
  return (
    <>
      <dd>
        <AttestationStatusLabel {...attesting} />
      </dd>
      <dd className={styles.aside}>
        {attesting.nextAttemptAt !== null && <NextAttempt at={attesting.nextAttemptAt} />}
      </dd>
    </>
  );
}
