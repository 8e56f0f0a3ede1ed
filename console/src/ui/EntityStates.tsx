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
import { type Look, type Looks, ShapeIcon, StateLabel } from './StateLabel.tsx';

const RELEASE: Looks<ReleaseStatus> = {
  DRAFT: 'queued',
  FINALIZED: 'signed',
  READY: 'verified',
  DEPRECATED: 'missing',
};

const PROMOTION: Looks<PromotionState> = {
  PENDING: 'held',
  APPROVED: 'signed',
  REJECTED: 'failed',
  CANCELLED: 'missing',
  DEPLOYING: 'running',
  DEPLOYED: 'verified',
  FAILED: 'failed',
  SUPERSEDED: 'queued',
};

const JOB: Looks<DeploymentStatus> = {
  QUEUED: 'queued',
  PREFLIGHT: 'running',
  PLANNING: 'running',
  IN_PROGRESS: 'running',
  VERIFYING: 'running',
  COMPLETED: 'verified',
  FAILED: 'failed',
  PAUSED: 'held',
  CANCELLING: 'running',
  CANCELLED: 'missing',
  ROLLBACK_IN_PROGRESS: 'back-running',
  ROLLED_BACK: 'back',
  ROLLBACK_FAILED: 'failed',
};

const VERDICT: Looks<LandingVerdict> = { VERIFIED: 'verified', UNVERIFIED: 'unverified', MISMATCH: 'mismatch' };

const CHECK: Looks<CheckStatus> = { PASS: 'verified', FAIL: 'failed', UNKNOWN: 'unobserved' };

const AGENT: Looks<AgentState> = {
  PENDING: 'queued',
  ACTIVE: 'verified',
  STALE: 'attention',
  OFFLINE: 'failed',
  REVOKED: 'missing',
};

const HEALTH: Looks<TargetState> = {
  ENROLLED: 'queued',
  HEALTHY: 'verified',
  UNHEALTHY: 'failed',
  UNKNOWN: 'unobserved',
  DRAINING: 'held-attention',
  DISABLED: 'missing',
};

const ESTATE: Looks<EstateState> = { IN_SYNC: 'verified', DRIFT: 'mismatch', UNOBSERVED: 'unobserved' };

const CUSTODY: Looks<CustodyState> = { MISSING: 'missing-attention', SIGNED: 'signed', PROVEN: 'verified' };

const RESULT: Looks<CheckResult> = { PASS: 'verified', FAIL: 'failed', SKIPPED: 'missing' };

/** State of a deployment's target: the verdict once it is judged, its task's status before. */
type DeploymentTargetState = LandingVerdict | DeploymentTargetStatus;

const DEPLOYMENT_TARGET: Looks<DeploymentTargetState> = {
  ...VERDICT,
  PENDING: 'queued',
  RUNNING: 'running',
  HELD: 'held',
  SUCCEEDED: 'queued',
  FAILED: 'failed',
  CANCELLED: 'missing',
};

export const ReleaseLabel = ({ status }: { readonly status: ReleaseStatus }) => (
  <StateLabel look={RELEASE[status]}>{t(`release.${status}`)}</StateLabel>
);

export const PromotionLabel = ({ state }: { readonly state: PromotionState }) => (
  <StateLabel look={PROMOTION[state]}>{t(`promotion.${state}`)}</StateLabel>
);

type JobLabelProps = {
  readonly status: DeploymentStatus;
  readonly landing: LandingVerdict | null;
  readonly paused?: PauseReason | null;
};

/** State of a deployment. A completed one is green only once every target is verified; one at a gate is waiting. */
export function DeploymentStatusLabel({ status, landing, paused = null }: JobLabelProps) {
  const silent = status === 'COMPLETED' && landing !== 'VERIFIED';
  const look: Look = silent ? 'signed' : JOB[status];
  return (
    <StateLabel look={look}>
      {t(paused === 'TRAFFIC_GATE' ? 'deploymentStatus.atGate' : `deploymentStatus.${status}`)}
    </StateLabel>
  );
}

/** Landing verdict, apart from the state of the deployment. With `n` it counts targets: "38 verified". */
export function VerdictLabel({ verdict, n }: { readonly verdict: LandingVerdict | null; readonly n?: number }) {
  if (verdict === null) return <StateLabel look="queued">{t('verdict.none')}</StateLabel>;
  return (
    <StateLabel look={VERDICT[verdict]}>
      {n === undefined ? t(`verdict.${verdict}`) : t(`verdicts.${verdict}`, { n })}
    </StateLabel>
  );
}

export const CheckLabel = ({ status, children }: { readonly status: CheckStatus; readonly children: string }) => (
  <StateLabel look={CHECK[status]} wrap>
    {children}
  </StateLabel>
);

export const CheckIcon = ({ status }: { readonly status: CheckStatus }) => <ShapeIcon look={CHECK[status]} />;

export const AgentLabel = ({ state }: { readonly state: AgentState }) => (
  <StateLabel look={AGENT[state]}>{t(`agent.${state}`)}</StateLabel>
);

export const TargetLabel = ({ state }: { readonly state: TargetState }) => (
  <StateLabel look={HEALTH[state]}>{t(`target.${state}`)}</StateLabel>
);

/** Whether the approved digest runs there: yes, no, or unknown. */
export const EstateLabel = ({ state }: { readonly state: EstateState }) => (
  <StateLabel look={ESTATE[state]}>{t(`estate.${state}`)}</StateLabel>
);

export const targetLook = (state: DeploymentTargetState): Look => DEPLOYMENT_TARGET[state];

/** Evidence of a link of the chain of custody: none, a signature, or a signature that the log confirms. */
export const CustodyLabel = ({ state }: { readonly state: CustodyState }) => (
  <StateLabel look={CUSTODY[state]}>{t(`custody.${state}`)}</StateLabel>
);

/** Look of a link in the chain of custody. */
export const custodyLook = (state: CustodyState): Look => CUSTODY[state];

/** Check of a proof: it passed, failed, or had nothing to check. */
export const ResultIcon = ({ result }: { readonly result: CheckResult }) => <ShapeIcon look={RESULT[result]} />;
