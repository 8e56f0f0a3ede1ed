import type {
  AgentState,
  CheckResult,
  CheckStatus,
  CustodyState,
  DeploymentStatus,
  DeploymentTargetStatus,
  EstateState,
  LandingVerdict,
  PauseReason,
  PromotionState,
  ReleaseStatus,
  TargetState,
} from '../generated/operations.ts';
import { t } from '../lib/i18n.ts';
import { type Look, Mark, ShapeIcon } from './Mark.tsx';

const RELEASE: Readonly<Record<ReleaseStatus, Look>> = {
  DRAFT: { shape: 'queued', tone: 'muted' },
  FINALIZED: { shape: 'signed', tone: 'unknown' },
  READY: { shape: 'verified', tone: 'good' },
  DEPRECATED: { shape: 'missing', tone: 'muted' },
};

const PROMOTION: Readonly<Record<PromotionState, Look>> = {
  PENDING: { shape: 'held', tone: 'waiting' },
  APPROVED: { shape: 'signed', tone: 'unknown' },
  REJECTED: { shape: 'failed', tone: 'bad' },
  CANCELLED: { shape: 'missing', tone: 'muted' },
  DEPLOYING: { shape: 'running', tone: 'running' },
  DEPLOYED: { shape: 'verified', tone: 'good' },
  FAILED: { shape: 'failed', tone: 'bad' },
  SUPERSEDED: { shape: 'queued', tone: 'muted' },
};

const JOB: Readonly<Record<DeploymentStatus, Look>> = {
  QUEUED: { shape: 'queued', tone: 'muted' },
  PREFLIGHT: { shape: 'running', tone: 'running' },
  PLANNING: { shape: 'running', tone: 'running' },
  IN_PROGRESS: { shape: 'running', tone: 'running' },
  VERIFYING: { shape: 'running', tone: 'running' },
  COMPLETED: { shape: 'verified', tone: 'good' },
  FAILED: { shape: 'failed', tone: 'bad' },
  PAUSED: { shape: 'held', tone: 'waiting' },
  CANCELLING: { shape: 'running', tone: 'running' },
  CANCELLED: { shape: 'missing', tone: 'muted' },
  ROLLBACK_IN_PROGRESS: { shape: 'back', tone: 'running' },
  ROLLED_BACK: { shape: 'back', tone: 'unknown' },
  ROLLBACK_FAILED: { shape: 'failed', tone: 'bad' },
};

const VERDICT: Readonly<Record<LandingVerdict, Look>> = {
  VERIFIED: { shape: 'verified', tone: 'good' },
  UNVERIFIED: { shape: 'unverified', tone: 'attention' },
  MISMATCH: { shape: 'mismatch', tone: 'bad' },
};

const CHECK: Readonly<Record<CheckStatus, Look>> = {
  PASS: { shape: 'verified', tone: 'good' },
  FAIL: { shape: 'failed', tone: 'bad' },
  UNKNOWN: { shape: 'unobserved', tone: 'unknown' },
};

const AGENT: Readonly<Record<AgentState, Look>> = {
  PENDING: { shape: 'queued', tone: 'muted' },
  ACTIVE: { shape: 'verified', tone: 'good' },
  STALE: { shape: 'attention', tone: 'attention' },
  OFFLINE: { shape: 'failed', tone: 'bad' },
  REVOKED: { shape: 'missing', tone: 'muted' },
};

const HEALTH: Readonly<Record<TargetState, Look>> = {
  ENROLLED: { shape: 'queued', tone: 'muted' },
  HEALTHY: { shape: 'verified', tone: 'good' },
  UNHEALTHY: { shape: 'failed', tone: 'bad' },
  UNKNOWN: { shape: 'unobserved', tone: 'unknown' },
  DRAINING: { shape: 'held', tone: 'attention' },
  DISABLED: { shape: 'missing', tone: 'muted' },
};

const ESTATE: Readonly<Record<EstateState, Look>> = {
  IN_SYNC: { shape: 'verified', tone: 'good' },
  DRIFT: { shape: 'mismatch', tone: 'bad' },
  UNOBSERVED: { shape: 'unobserved', tone: 'unknown' },
};

const CUSTODY: Readonly<Record<CustodyState, Look>> = {
  MISSING: { shape: 'missing', tone: 'attention' },
  SIGNED: { shape: 'signed', tone: 'unknown' },
  PROVEN: { shape: 'verified', tone: 'good' },
};

const RESULT: Readonly<Record<CheckResult, Look>> = {
  PASS: { shape: 'verified', tone: 'good' },
  FAIL: { shape: 'failed', tone: 'bad' },
  SKIPPED: { shape: 'missing', tone: 'muted' },
};

/** How one target of a deployment stands: the verdict once it is judged, the task before. */
export type TargetStanding = LandingVerdict | DeploymentTargetStatus;

const STANDING: Readonly<Record<TargetStanding, Look>> = {
  ...VERDICT,
  PENDING: { shape: 'queued', tone: 'muted' },
  RUNNING: { shape: 'running', tone: 'running' },
  HELD: { shape: 'held', tone: 'waiting' },
  SUCCEEDED: { shape: 'queued', tone: 'muted' },
  FAILED: { shape: 'failed', tone: 'bad' },
  CANCELLED: { shape: 'missing', tone: 'muted' },
};

export const ReleaseMark = ({ status }: { readonly status: ReleaseStatus }) => (
  <Mark {...RELEASE[status]}>{t(`release.${status}`)}</Mark>
);

export const PromotionMark = ({ state }: { readonly state: PromotionState }) => (
  <Mark {...PROMOTION[state]}>{t(`promotion.${state}`)}</Mark>
);

/** What the job says. A completed job is green only once every target is verified; at a gate it says that it waits. */
export function JobMark({
  status,
  landing,
  paused = null,
}: {
  readonly status: DeploymentStatus;
  readonly landing: LandingVerdict | null;
  readonly paused?: PauseReason | null;
}) {
  const silent = status === 'COMPLETED' && landing !== 'VERIFIED';
  const look: Look = silent ? { shape: 'signed', tone: 'unknown' } : JOB[status];
  return <Mark {...look}>{t(paused === 'TRAFFIC_GATE' ? 'job.gate' : `job.${status}`)}</Mark>;
}

/** What landed, apart from what the job says. With `n` it counts targets: "38 verified". */
export function VerdictMark({ verdict, n }: { readonly verdict: LandingVerdict | null; readonly n?: number }) {
  if (verdict === null)
    return (
      <Mark shape="queued" tone="muted">
        {t('verdict.none')}
      </Mark>
    );
  return (
    <Mark {...VERDICT[verdict]}>{n === undefined ? t(`verdict.${verdict}`) : t(`verdicts.${verdict}`, { n })}</Mark>
  );
}

export const CheckMark = ({ status, children }: { readonly status: CheckStatus; readonly children: string }) => (
  <Mark {...CHECK[status]} wrap>
    {children}
  </Mark>
);

export const CheckIcon = ({ status }: { readonly status: CheckStatus }) => <ShapeIcon {...CHECK[status]} />;

export const AgentMark = ({ state }: { readonly state: AgentState }) => (
  <Mark {...AGENT[state]}>{t(`agent.${state}`)}</Mark>
);

export const TargetMark = ({ state }: { readonly state: TargetState }) => (
  <Mark {...HEALTH[state]}>{t(`target.${state}`)}</Mark>
);

/** Whether what was approved runs there: yes, no, or nobody can say. */
export const EstateMark = ({ state }: { readonly state: EstateState }) => (
  <Mark {...ESTATE[state]}>{t(`estate.${state}`)}</Mark>
);

/** The look of a target in a deployment. */
export const standingLook = (standing: TargetStanding): Look => STANDING[standing];

/** What stands behind a link of the chain of custody: nothing, a signature, or a signature that the log bears out. */
export const CustodyMark = ({ state }: { readonly state: CustodyState }) => (
  <Mark {...CUSTODY[state]}>{t(`custody.${state}`)}</Mark>
);

/** The look of a link in the chain of custody. */
export const custodyLook = (state: CustodyState): Look => CUSTODY[state];

/** A check of a proof: it passed, failed, or had nothing to check. */
export const ResultIcon = ({ result }: { readonly result: CheckResult }) => <ShapeIcon {...RESULT[result]} />;
