import type { LandingStatementFragment, StatusSummaryFragment } from '../../generated/operations.ts';
import { countTargets } from '../../lib/target-counts.ts';
import { DeploymentStatusLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { Duration } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { t } from './labels.ts';
import { currentPhase } from './phase-counts.ts';
import { StatementStatus } from './StatementStatus.tsx';

export function StatusSummary({
  deployment,
}: {
  readonly deployment: StatusSummaryFragment & LandingStatementFragment;
}) {
  const { status, pauseReason, landingVerification, createdAt, startedAt, completedAt, targets } = deployment;
  const { verified, unverified, mismatch, total } = countTargets(targets);
  const unjudged = total - verified - unverified - mismatch;
  return (
    <dl className={styles.truths}>
      <div>
        <dt>{t('statusSummary.status')}</dt>
        <dd>
          <DeploymentStatusLabel status={status} landing={landingVerification} paused={pauseReason} />
          <span className="soft">{progress(deployment)}</span>
        </dd>
        <dd className={styles.aside}>
          <Duration from={startedAt ?? createdAt} until={completedAt} />
        </dd>
      </div>
      <div>
        <dt>{t('statusSummary.landing')}</dt>
        <dd>
          {verified > 0 && <VerdictLabel verdict="VERIFIED" n={verified} />}
          {unverified > 0 && <VerdictLabel verdict="UNVERIFIED" n={unverified} />}
          {mismatch > 0 && <VerdictLabel verdict="MISMATCH" n={mismatch} />}
          {unjudged === total && <VerdictLabel verdict={null} />}
        </dd>
        <dd className={styles.aside}>
          {unjudged > 0 && unjudged < total && t('statusSummary.unjudged', { n: unjudged })}
        </dd>
      </div>
      <StatementStatus deployment={deployment} />
    </dl>
  );
}

/** Progress of the deployment: its phase while there are several, and the number of targets that are done. */
function progress({ phases, targets }: StatusSummaryFragment): string {
  const landed = targets.filter(({ status }) => status === 'SUCCEEDED').length;
  const current = currentPhase(phases);
  const parts = [
    current !== undefined && phases.length > 1
      ? t('statusSummary.phase', { n: current.index + 1, of: phases.length })
      : '',
    t('statusSummary.landed', { n: landed, of: targets.length }),
  ];
  return parts.filter(Boolean).join(', ');
}
