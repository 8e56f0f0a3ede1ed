import type { Readiness } from '../../catalogue/agents/liveness.ts';
import { type Anatomy, classify, type FailureSubject, type Reason, type Stage } from '../deployments/anatomy.ts';

type CheckKey = 'digest-pinned' | 'image-resolvable' | 'target-ready' | 'secret-resolvable';
type CheckStatus = 'pass' | 'fail' | 'unknown';

/** PreflightCheck (spec 2.10). */
interface Check {
  readonly key: CheckKey;
  readonly title: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** Failure anatomy; null unless the check failed. */
  readonly anatomy: Anatomy | null;
}

/** PreflightReport (spec 2.10). */
export interface PreflightReport {
  readonly releaseId: string;
  /** Name of the environment. */
  readonly environment: string | null;
  readonly armed: boolean;
  readonly hasHardFail: boolean;
  readonly failedCheckKeys: readonly CheckKey[];
  readonly checks: readonly Check[];
}

/** Finding about one subject, such as a target or an image, and the problem with it, if any. */
export interface Finding {
  readonly subject: string;
  readonly status: CheckStatus;
  readonly reason?: Reason;
  readonly detail?: string;
}

const TITLES: Readonly<Record<CheckKey, string>> = {
  'digest-pinned': 'Every component has a digest',
  'image-resolvable': 'Every image is in its registry',
  'target-ready': 'Every target is ready',
  'secret-resolvable': 'Every secret exists',
};

const describe = ({ subject, detail }: Finding): string => (detail === undefined ? subject : `${subject}: ${detail}`);

const STAGES: Readonly<Partial<Record<Reason, Stage>>> = {
  'no-targets': 'strategy-planning',
  'driver-unsupported': 'strategy-planning',
};

/** Reason of a failed check; a special one when every target is unhealthy. */
const reasonOf = (failed: readonly Finding[], all: readonly Finding[]): Reason => {
  const isUnhealthy = ({ reason }: Finding): boolean => reason === 'target-unhealthy';
  if (all.every(isUnhealthy)) return 'no-healthy-targets';
  return failed[0]?.reason ?? 'preflight-failed';
};

/** Combines findings to one check: a fail outweighs an unknown, and an unknown outweighs a pass. */
export const combineFindings = (
  key: CheckKey,
  findings: readonly Finding[],
  nothing: string,
  subject: FailureSubject,
): Check => {
  const of = (status: CheckStatus): readonly Finding[] => findings.filter((finding) => finding.status === status);
  const failed = of('fail');
  if (failed.length > 0) {
    const detail = failed.map(describe).join('; ');
    const reason = reasonOf(failed, findings);
    const anatomy = classify(STAGES[reason] ?? 'preflight', reason, detail, subject);
    return { key, title: TITLES[key], status: 'fail', detail, anatomy };
  }
  const unknown = of('unknown');
  const status = unknown.length > 0 || findings.length === 0 ? 'unknown' : 'pass';
  const detail =
    findings.length === 0
      ? nothing
      : status === 'unknown'
        ? unknown.map(describe).join('; ')
        : `${findings.length} checked`;
  return { key, title: TITLES[key], status, detail, anatomy: null };
};

/** Combines the four checks to a report. It is armed unless a check failed; an unknown does not disarm it. */
export const createPreflightReport = (
  releaseId: string,
  environment: string | null,
  checks: readonly Check[],
): PreflightReport => {
  const failedCheckKeys = checks.filter(({ status }) => status === 'fail').map(({ key }) => key);
  const hasHardFail = failedCheckKeys.length > 0;
  return { releaseId, environment, armed: !hasHardFail, hasHardFail, failedCheckKeys, checks };
};

interface TargetView {
  readonly name: string;
  readonly agentId: string | null;
  readonly driver: string;
  readonly healthState: CheckableHealth;
  /** Detail of the last health check. */
  readonly healthDetail: string | null;
}

type CheckableHealth = 'healthy' | 'unhealthy' | 'unknown';

const AGENT_FINDINGS: Readonly<Record<Exclude<Readiness, 'ready'>, Omit<Finding, 'subject'>>> = {
  absent: { status: 'fail', reason: 'agent-unassigned', detail: 'its agent is gone' },
  offline: { status: 'fail', reason: 'agent-offline', detail: 'its agent does not report' },
  incapable: { status: 'fail', reason: 'driver-unsupported', detail: 'its agent does not offer the driver' },
  stale: { status: 'unknown', detail: 'its agent has missed a beat' },
};

/** Judges the readiness of one target. The agent is checked first: without an agent the target’s health is outdated. */
export const judgeReadiness = (target: TargetView, readiness: Readiness | undefined): Finding => {
  const { name: subject, healthDetail } = target;
  if (target.agentId === null)
    return { subject, status: 'fail', reason: 'agent-unassigned', detail: 'no agent is assigned' };
  const agent = readiness ?? 'absent';
  if (agent !== 'ready') return { subject, ...AGENT_FINDINGS[agent] };
  if (target.healthState === 'unhealthy')
    return {
      subject,
      status: 'fail',
      reason: 'target-unhealthy',
      detail: healthDetail ?? 'its last health check failed',
    };
  if (target.healthState === 'unknown')
    return { subject, status: 'unknown', detail: healthDetail ?? 'nothing has run on it yet' };
  return { subject, status: 'pass' };
};

/** Adapts a finding for a rollback, which neither an unhealthy target nor a lost image that agents kept prevents. */
export const adaptForRollback = (finding: Finding, isRetained: boolean): Finding => {
  const { subject, reason, detail = '' } = finding;
  if (reason === 'target-unhealthy') return { subject, status: 'unknown', detail };
  if (reason === 'artifact-missing' && isRetained)
    return { subject, status: 'unknown', detail: `${detail}; the agents keep it from when it ran` };
  return finding;
};
