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
import { ShapeIcon, StateLabel, type StateStyle } from './StateLabel.tsx';

const RELEASE: Readonly<Record<ReleaseStatus, StateStyle>> = {
  DRAFT: { shape: 'queued', tone: 'muted' },
  FINALIZED: { shape: 'signed', tone: 'unknown' },
  READY: { shape: 'verified', tone: 'good' },
  DEPRECATED: { shape: 'missing', tone: 'muted' },
};

const PROMOTION: Readonly<Record<PromotionState, StateStyle>> = {
  PENDING: { shape: 'held', tone: 'waiting' },
  APPROVED: { shape: 'signed', tone: 'unknown' },
  REJECTED: { shape: 'failed', tone: 'bad' },
  CANCELLED: { shape: 'missing', tone: 'muted' },
  DEPLOYING: { shape: 'running', tone: 'running' },
  DEPLOYED: { shape: 'verified', tone: 'good' },
  FAILED: { shape: 'failed', tone: 'bad' },
  SUPERSEDED: { shape: 'queued', tone: 'muted' },
};

const JOB: Readonly<Record<DeploymentStatus, StateStyle>> = {
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

const VERDICT: Readonly<Record<LandingVerdict, StateStyle>> = {
  VERIFIED: { shape: 'verified', tone: 'good' },
  UNVERIFIED: { shape: 'unverified', tone: 'attention' },
  MISMATCH: { shape: 'mismatch', tone: 'bad' },
};

const CHECK: Readonly<Record<CheckStatus, StateStyle>> = {
  PASS: { shape: 'verified', tone: 'good' },
  FAIL: { shape: 'failed', tone: 'bad' },
  UNKNOWN: { shape: 'unobserved', tone: 'unknown' },
};

const AGENT: Readonly<Record<AgentState, StateStyle>> = {
  PENDING: { shape: 'queued', tone: 'muted' },
  ACTIVE: { shape: 'verified', tone: 'good' },
  STALE: { shape: 'attention', tone: 'attention' },
  OFFLINE: { shape: 'failed', tone: 'bad' },
  REVOKED: { shape: 'missing', tone: 'muted' },
};

const HEALTH: Readonly<Record<TargetState, StateStyle>> = {
  ENROLLED: { shape: 'queued', tone: 'muted' },
  HEALTHY: { shape: 'verified', tone: 'good' },
  UNHEALTHY: { shape: 'failed', tone: 'bad' },
  UNKNOWN: { shape: 'unobserved', tone: 'unknown' },
  DRAINING: { shape: 'held', tone: 'attention' },
  DISABLED: { shape: 'missing', tone: 'muted' },
};

const ESTATE: Readonly<Record<EstateState, StateStyle>> = {
  IN_SYNC: { shape: 'verified', tone: 'good' },
  DRIFT: { shape: 'mismatch', tone: 'bad' },
  UNOBSERVED: { shape: 'unobserved', tone: 'unknown' },
};

const CUSTODY: Readonly<Record<CustodyState, StateStyle>> = {
  MISSING: { shape: 'missing', tone: 'attention' },
  SIGNED: { shape: 'signed', tone: 'unknown' },
  PROVEN: { shape: 'verified', tone: 'good' },
};

const RESULT: Readonly<Record<CheckResult, StateStyle>> = {
  PASS: { shape: 'verified', tone: 'good' },
  FAIL: { shape: 'failed', tone: 'bad' },
  SKIPPED: { shape: 'missing', tone: 'muted' },
};

/** State of a deployment's target: the verdict once it is judged, its task's status before. */
type DeploymentTargetState = LandingVerdict | DeploymentTargetStatus;

const STANDING: Readonly<Record<DeploymentTargetState, StateStyle>> = {
  ...VERDICT,
  PENDING: { shape: 'queued', tone: 'muted' },
  RUNNING: { shape: 'running', tone: 'running' },
  HELD: { shape: 'held', tone: 'waiting' },
  SUCCEEDED: { shape: 'queued', tone: 'muted' },
  FAILED: { shape: 'failed', tone: 'bad' },
  CANCELLED: { shape: 'missing', tone: 'muted' },
};

export const ReleaseLabel = ({ status }: { readonly status: ReleaseStatus }) => (
  <StateLabel {...RELEASE[status]}>{t(`release.${status}`)}</StateLabel>
);

export const PromotionLabel = ({ state }: { readonly state: PromotionState }) => (
  <StateLabel {...PROMOTION[state]}>{t(`promotion.${state}`)}</StateLabel>
);

/** State of the job. A completed job is green only once every target is verified; a job at a gate is waiting. */
export function JobLabel({
  status,
  landing,
  paused = null,
}: {
  readonly status: DeploymentStatus;
  readonly landing: LandingVerdict | null;
  readonly paused?: PauseReason | null;
}) {
  const silent = status === 'COMPLETED' && landing !== 'VERIFIED';
  const look: StateStyle = silent ? { shape: 'signed', tone: 'unknown' } : JOB[status];
  return <StateLabel {...look}>{t(paused === 'TRAFFIC_GATE' ? 'job.gate' : `job.${status}`)}</StateLabel>;
}

/** Landing verdict, apart from the state of the job. With `n` it counts targets: "38 verified". */
export function VerdictLabel({ verdict, n }: { readonly verdict: LandingVerdict | null; readonly n?: number }) {
  if (verdict === null)
    return (
      <StateLabel shape="queued" tone="muted">
        {t('verdict.none')}
      </StateLabel>
    );
  return (
    <StateLabel {...VERDICT[verdict]}>
      {n === undefined ? t(`verdict.${verdict}`) : t(`verdicts.${verdict}`, { n })}
    </StateLabel>
  );
}

export const CheckLabel = ({ status, children }: { readonly status: CheckStatus; readonly children: string }) => (
  <StateLabel {...CHECK[status]} wrap>
    {children}
  </StateLabel>
);

export const CheckIcon = ({ status }: { readonly status: CheckStatus }) => <ShapeIcon {...CHECK[status]} />;

export const AgentLabel = ({ state }: { readonly state: AgentState }) => (
  <StateLabel {...AGENT[state]}>{t(`agent.${state}`)}</StateLabel>
);

export const TargetLabel = ({ state }: { readonly state: TargetState }) => (
  <StateLabel {...HEALTH[state]}>{t(`target.${state}`)}</StateLabel>
);

/** Whether the approved digest runs there: yes, no, or unknown. */
export const EstateLabel = ({ state }: { readonly state: EstateState }) => (
  <StateLabel {...ESTATE[state]}>{t(`estate.${state}`)}</StateLabel>
);

/** The look of a target in a deployment. */
export const targetStateStyle = (standing: DeploymentTargetState): StateStyle => STANDING[standing];

/** Evidence of a link of the chain of custody: none, a signature, or a signature that the log confirms. */
export const CustodyLabel = ({ state }: { readonly state: CustodyState }) => (
  <StateLabel {...CUSTODY[state]}>{t(`custody.${state}`)}</StateLabel>
);

/** The look of a link in the chain of custody. */
export const custodyStyle = (state: CustodyState): StateStyle => CUSTODY[state];

/** A check of a proof: it passed, failed, or had nothing to check. */
export const ResultIcon = ({ result }: { readonly result: CheckResult }) => <ShapeIcon {...RESULT[result]} />;
