import type { FailedRowFragment, HeldRowFragment, UnverifiedRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t, wordsOr } from '../../lib/i18n.ts';
import { LinkButton } from '../../ui/Link.tsx';
import { JobMark, VerdictMark } from '../../ui/Status.tsx';
import { Queue, QueueRow } from './Queue.tsx';

/** Deployments whose failure is the last word in their environment. */
export function FailedQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly FailedRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.failed')} n={rows.length}>
      {rows.map((row) => {
        const first = row.failureGroups[0]?.targets[0]?.target.id;
        return (
          <QueueRow
            key={row.id}
            id={row.id}
            cursor={cursor}
            mark={
              row.landingVerification === 'MISMATCH' ? (
                <VerdictMark verdict="MISMATCH" />
              ) : (
                <JobMark status={row.status} landing={null} />
              )
            }
            what={`${row.release.name} ${row.release.semver}`}
            where={row.environment.name}
            why={causes(row)}
            since={row.completedAt ?? row.createdAt}
            verb={(weight) => (
              <LinkButton
                data-open=""
                size="small"
                weight={weight}
                to="/deployments/$id"
                params={{ id: row.id }}
                search={first === undefined ? {} : { target: first }}
              >
                {t('today.verb.cause')}
              </LinkButton>
            )}
          />
        );
      })}
    </Queue>
  );
}

const causes = ({ failureGroups, failureReason }: FailedRowFragment): string =>
  failureGroups.length === 0
    ? (failureReason ?? '')
    : failureGroups.map(({ count, plainReason }) => t('today.why.cause', { n: count, cause: plainReason })).join(' · ');

/** Deployments that wait for somebody: at a traffic gate, or paused by hand. */
export function HeldQueue({ rows, cursor }: { readonly rows: readonly HeldRowFragment[]; readonly cursor: Cursor }) {
  return (
    <Queue title={t('today.held')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={<JobMark status={row.status} landing={row.landingVerification} />}
          what={`${row.release.name} ${row.release.semver}`}
          where={row.environment.name}
          why={whyHeld(row)}
          since={heldPhase(row)?.endedAt ?? row.startedAt ?? row.createdAt}
          verb={(weight) => (
            <LinkButton data-open="" size="small" weight={weight} to="/deployments/$id" params={{ id: row.id }}>
              {t('today.verb.held')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}

const heldPhase = ({ phases }: HeldRowFragment) => phases.find(({ status }) => status === 'HELD');

function whyHeld(row: HeldRowFragment): string {
  const held = heldPhase(row);
  if (row.pauseReason !== 'TRAFFIC_GATE' || held === undefined) return t('today.why.paused');
  const phase = t('phase.title', { n: held.index + 1, kind: wordsOr(`phase.${held.kind}`, held.kind) });
  return held.weight === null
    ? t('today.why.gate', { phase })
    : t('today.why.gate.weight', { phase, weight: held.weight });
}

/** Completed deployments whose landing is not verified. */
export function UnverifiedQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly UnverifiedRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.unverified')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={<VerdictMark verdict={row.landingVerification ?? 'UNVERIFIED'} />}
          what={`${row.release.name} ${row.release.semver}`}
          where={row.environment.name}
          why={t('today.why.unverified', { names: silentTargets(row) })}
          since={row.completedAt ?? row.createdAt}
          verb={(weight) => (
            <LinkButton
              data-open=""
              size="small"
              weight={weight}
              to="/deployments/$id"
              params={{ id: row.id }}
              search={{ only: 'look' }}
            >
              {t('today.verb.check')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}

/** Names of the targets that reported nothing, three at most. */
function silentTargets({ targets }: UnverifiedRowFragment): string {
  const names = targets.filter(({ landing }) => landing?.verdict !== 'VERIFIED').map(({ name }) => name);
  return names.length <= 3
    ? names.join(', ')
    : t('today.more', { names: names.slice(0, 3).join(', '), n: names.length - 3 });
}
