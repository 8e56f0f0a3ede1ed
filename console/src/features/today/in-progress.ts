import type { InProgressRowFragment } from '../../generated/operations.ts';
import { labelOr, t } from '../../lib/i18n.ts';
import { countTargets } from '../../lib/target-counts.ts';

type Row = InProgressRowFragment;

/** Share of traffic, in per cent, that the new release takes now; undefined where nothing divides the traffic. */
export const trafficOf = ({ phases }: Pick<Row, 'phases'>): number | undefined =>
  phases.findLast(({ status, weight }) => weight !== null && (status === 'HELD' || status === 'DONE'))?.weight ??
  undefined;

/** Progress of a deployment: its phase, or the gate it waits at, and its traffic. */
export function progressOf(row: Row): string {
  const heldPhase = row.phases.find(({ status }) => status === 'HELD');
  const traffic = trafficOf(row);
  const tally = countTargets(row.targets);
  const finished = tally.total - tally.running - tally.waiting;
  const parts = [
    heldPhase === undefined || row.status !== 'PAUSED'
      ? t('today.progress.targets', { n: finished, of: tally.total })
      : t('today.progress.gate', {
          phase: t('phase.title', { n: heldPhase.index + 1, kind: labelOr(`phase.${heldPhase.kind}`, heldPhase.kind) }),
        }),
    traffic === undefined ? '' : t('today.progress.traffic', { weight: traffic }),
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Person or program that must act for it to go on. */
export function actorOf(row: Row): string {
  if (row.waitsFor === 'ANALYSIS') return t('today.decision.analysis');
  if (row.waitsFor !== 'PERSON') return t('today.decision.nobody', { who: row.launchedBy.displayName });
  const mayAct = row.viewerCanAdvance.allowed || row.viewerCanResume.allowed;
  return mayAct ? t('today.decision.you') : t('today.decision.other', { who: row.launchedBy.displayName });
}

export const sinceOf = ({ phases, startedAt, createdAt }: Row): string =>
  phases.find(({ status }) => status === 'HELD')?.endedAt ?? startedAt ?? createdAt;
