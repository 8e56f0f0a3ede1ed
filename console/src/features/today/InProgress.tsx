import type { InProgressRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t } from '../../lib/i18n.ts';
import { JobLabel } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { actorOf, progressOf, sinceOf } from './in-progress.ts';
import { Queue, QueueRow } from './Queue.tsx';

/** Deployments that have not ended: what each holds or waits for, and who must act. */
export function InProgressQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly InProgressRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.progress')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={<JobLabel status={row.status} landing={row.landingVerification} />}
          what={`${row.release.name} ${row.release.semver}`}
          where={row.environment.name}
          why={
            <>
              {progressOf(row)}
              <br />
              <b>{actorOf(row)}</b>
            </>
          }
          since={sinceOf(row)}
          verb={(weight) => (
            <LinkButton data-open="" size="small" weight={weight} to="/deployments/$id" params={{ id: row.id }}>
              {t(row.waitsFor === 'PERSON' ? 'today.verb.held' : 'today.verb.environment')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}
