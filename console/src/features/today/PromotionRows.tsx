import type { LaunchableRowFragment, WaitingRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t } from '../../lib/i18n.ts';
import { LinkButton } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Queue, QueueRow } from './Queue.tsx';

/** Promotions that the reader may decide. */
export function WaitingQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly WaitingRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.waiting')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={
            <StateLabel shape="held" tone="waiting">
              {t('today.approval')}
            </StateLabel>
          }
          what={`${row.release.name} ${row.release.semver}`}
          where={row.targetEnvironment.name}
          why={t('today.why.waiting', { who: row.requestedBy.displayName, reason: row.reason })}
          since={row.createdAt}
          verb={(weight) => (
            <LinkButton data-open="" size="small" weight={weight} to="/inbox" search={{ item: row.id }}>
              {t('today.verb.review')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}

/** Approved promotions that nobody has launched. */
export function LaunchableQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly LaunchableRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.launchable')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={
            <StateLabel shape="signed" tone="waiting">
              {t('promotion.APPROVED')}
            </StateLabel>
          }
          what={`${row.release.name} ${row.release.semver}`}
          where={row.targetEnvironment.name}
          why={approvedBy(row)}
          since={row.createdAt}
          verb={(weight) => (
            <LinkButton
              data-open=""
              size="small"
              weight={weight}
              to="/releases/$id/deploy"
              params={{ id: row.release.id }}
              search={{ env: row.targetEnvironment.id }}
            >
              {t('today.verb.deploy')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}

function approvedBy({ approvals }: LaunchableRowFragment): string {
  const names = approvals.filter(({ decision }) => decision === 'APPROVED').map(({ actor }) => actor.displayName);
  return names.length === 0 ? t('today.why.free') : t('today.why.approved', { names: names.join(', ') });
}
