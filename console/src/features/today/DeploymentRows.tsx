import type { FailedRowFragment, UnverifiedRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t } from '../../lib/i18n.ts';
import { JobLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
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
                <VerdictLabel verdict="MISMATCH" />
              ) : (
                <JobLabel status={row.status} landing={null} />
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
          mark={<VerdictLabel verdict={row.landingVerification ?? 'UNVERIFIED'} />}
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
