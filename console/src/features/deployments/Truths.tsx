import type { StatementTruthFragment, TruthsFragment } from '../../generated/operations.ts';
import { counts } from '../../lib/tally.ts';
import { JobMark, VerdictMark } from '../../ui/Status.tsx';
import { Lasting } from '../../ui/Time.tsx';
import styles from './Deployment.module.css';
import { standingPhase } from './phase-tally.ts';
import { StatementTruth } from './StatementTruth.tsx';
import { t } from './words.ts';

/** What the job says and what landed: two truths on two lines, never one mark. */
export function Truths({ deployment }: { readonly deployment: TruthsFragment & StatementTruthFragment }) {
  const { status, pauseReason, landingVerification, createdAt, startedAt, completedAt, targets } = deployment;
  const { verified, unverified, mismatch, total } = counts(targets);
  const unjudged = total - verified - unverified - mismatch;
  return (
    <dl className={styles.truths}>
      <div>
        <dt>{t('truth.job')}</dt>
        <dd>
          <JobMark status={status} landing={landingVerification} paused={pauseReason} />
          <span className="soft">{progress(deployment)}</span>
        </dd>
        <dd className={styles.aside}>
          <Lasting from={startedAt ?? createdAt} until={completedAt} />
        </dd>
      </div>
      <div>
        <dt>{t('truth.landing')}</dt>
        <dd>
          {verified > 0 && <VerdictMark verdict="VERIFIED" n={verified} />}
          {unverified > 0 && <VerdictMark verdict="UNVERIFIED" n={unverified} />}
          {mismatch > 0 && <VerdictMark verdict="MISMATCH" n={mismatch} />}
          {unjudged === total && <VerdictMark verdict={null} />}
        </dd>
        <dd className={styles.aside}>{unjudged > 0 && unjudged < total && t('truth.unjudged', { n: unjudged })}</dd>
      </div>
      <StatementTruth deployment={deployment} />
    </dl>
  );
}

/** How far the job is: its phase while there are several, and on how many targets it is through. */
function progress({ phases, targets }: TruthsFragment): string {
  const landed = targets.filter(({ status }) => status === 'SUCCEEDED').length;
  const current = standingPhase(phases);
  const parts = [
    current !== undefined && phases.length > 1 ? t('truth.phase', { n: current.index + 1, of: phases.length }) : '',
    t('truth.landed', { n: landed, of: targets.length }),
  ];
  return parts.filter(Boolean).join(', ');
}
