import type { ReactNode } from 'react';
import type {
  DriftedRowFragment,
  FailedRowFragment,
  TodayQuery,
  UnverifiedRowFragment,
} from '../../generated/operations.ts';
import { t } from '../../lib/i18n.ts';
import { otherReleases } from '../../lib/other-releases.ts';
import { releaseName } from '../../ui/EntityLink.tsx';
import { AgentLabel, DeploymentStatusLabel, EstateLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { actorOf, progressOf, sinceOf } from './in-progress.ts';
import { unsettledSince } from './unsettled-since.ts';

/** Row of a queue: state, subject, reason, time, and the page of its action. */
type QueueRow = {
  readonly id: string;
  readonly mark: ReactNode;
  readonly what: string;
  readonly where?: string;
  readonly why: ReactNode;
  readonly since: string;
  readonly verb: string;
  readonly path: string;
  /** Page that Enter opens, where it differs from the button's. */
  readonly page?: string;
};

export type Queue = { readonly title: string; readonly rows: readonly QueueRow[] };

const deploymentPage = (id: string): string => `/deployments/${id}`;

/** Seven queues of Today in their order; the empty ones are left out. */
export function queuesOf({ today }: TodayQuery): readonly Queue[] {
  const queues: readonly Queue[] = [
    { title: t('today.waiting'), rows: today.waiting.map(waitingRow) },
    { title: t('today.launchable'), rows: today.launchable.map(launchableRow) },
    { title: t('today.progress'), rows: today.inProgress.map(progressRow) },
    { title: t('today.failed'), rows: today.failed.map(failedRow) },
    { title: t('today.unverified'), rows: today.unverified.map(unverifiedRow) },
    { title: t('today.unsettled'), rows: today.unsettled.map(driftedRow) },
    { title: t('today.silent'), rows: today.silentAgents.map(silentAgentRow) },
  ];
  return queues.filter(({ rows }) => rows.length > 0);
}

type Rows = TodayQuery['today'];

type Waiting = Rows['waiting'][number];

const waitingRow = ({ id, release, targetEnvironment, requestedBy, reason, createdAt }: Waiting): QueueRow => ({
  id,
  mark: <StateLabel look="held">{t('today.approval')}</StateLabel>,
  what: releaseName(release),
  where: targetEnvironment.name,
  why: t('today.reason.waiting', { who: requestedBy.displayName, reason }),
  since: createdAt,
  verb: t('today.action.review'),
  path: `/inbox?item=${id}`,
});

function launchableRow({ id, release, targetEnvironment, approvals, createdAt }: Rows['launchable'][number]): QueueRow {
  const names = approvals.filter(({ decision }) => decision === 'APPROVED').map(({ actor }) => actor.displayName);
  return {
    id,
    mark: <StateLabel look="signed-waiting">{t('promotion.APPROVED')}</StateLabel>,
    what: releaseName(release),
    where: targetEnvironment.name,
    why: names.length === 0 ? t('today.reason.free') : t('today.reason.approved', { names: names.join(', ') }),
    since: createdAt,
    verb: t('today.action.deploy'),
    path: `/releases/${release.id}/deploy?env=${targetEnvironment.id}`,
  };
}

const progressRow = (row: Rows['inProgress'][number]): QueueRow => ({
  id: row.id,
  mark: <DeploymentStatusLabel status={row.status} landing={row.landingVerification} />,
  what: releaseName(row.release),
  where: row.environment.name,
  why: (
    <>
      {progressOf(row)}
      <br />
      <b>{actorOf(row)}</b>
    </>
  ),
  since: sinceOf(row),
  verb: t(row.waitsFor === 'PERSON' ? 'today.verb.gate' : 'today.action.environment'),
  path: deploymentPage(row.id),
});

function failedRow(row: FailedRowFragment): QueueRow {
  const first = row.failureGroups[0]?.targets[0]?.target.id;
  return {
    id: row.id,
    mark:
      row.landingVerification === 'MISMATCH' ? (
        <VerdictLabel verdict="MISMATCH" />
      ) : (
        <DeploymentStatusLabel status={row.status} landing={null} />
      ),
    what: releaseName(row.release),
    where: row.environment.name,
    why: causes(row),
    since: row.completedAt ?? row.createdAt,
    verb: t('today.action.cause'),
    path: `${deploymentPage(row.id)}${first === undefined ? '' : `?target=${first}`}`,
    page: deploymentPage(row.id),
  };
}

const causes = ({ failureGroups, failureReason }: FailedRowFragment): string =>
  failureGroups.length === 0
    ? (failureReason ?? '')
    : failureGroups
        .map(({ count, plainReason }) => t('today.reason.cause', { n: count, cause: plainReason }))
        .join(' · ');

const unverifiedRow = (row: UnverifiedRowFragment): QueueRow => ({
  id: row.id,
  mark: <VerdictLabel verdict={row.landingVerification ?? 'UNVERIFIED'} />,
  what: releaseName(row.release),
  where: row.environment.name,
  why: t('today.reason.unverified', { names: silentTargets(row) }),
  since: row.completedAt ?? row.createdAt,
  verb: t('today.action.check'),
  path: `${deploymentPage(row.id)}?only=look`,
  page: deploymentPage(row.id),
});

/** Names of the targets that reported nothing, three at most. */
function silentTargets({ targets }: UnverifiedRowFragment): string {
  const names = targets.filter(({ landing }) => landing?.verdict !== 'VERIFIED').map(({ name }) => name);
  return names.length <= 3
    ? names.join(', ')
    : t('today.more', { names: names.slice(0, 3).join(', '), n: names.length - 3 });
}

/** Environment with drift, with unobserved targets, or with several releases. */
function driftedRow(row: DriftedRowFragment): QueueRow {
  const { id, estateState } = row;
  const isAdrift = estateState === 'DRIFT' || estateState === 'UNOBSERVED';
  return {
    id,
    mark: isAdrift ? <EstateLabel state={estateState} /> : <StateLabel look="attention">{t('today.mixed')}</StateLabel>,
    what: row.name,
    why: [
      ...otherReleases(row).map(({ n, of, what: name }) => t('runs.others', { n, of, what: name })),
      ...(isAdrift ? [t(`today.reason.${estateState}`)] : []),
    ].join(' · '),
    since: unsettledSince(row),
    verb: t('today.action.environment'),
    path: `/environments/${id}`,
  };
}

const silentAgentRow = ({ id, name, state, lastHeartbeatAt, createdAt }: Rows['silentAgents'][number]): QueueRow => ({
  id,
  mark: <AgentLabel state={state} />,
  what: name,
  why: t(lastHeartbeatAt === null ? 'today.reason.neverReported' : 'today.reason.silent'),
  since: lastHeartbeatAt ?? createdAt,
  verb: t('today.action.agents'),
  path: '/agents',
  page: `/agents/${id}`,
});
