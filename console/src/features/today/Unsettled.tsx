import type { UnsettledRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t } from '../../lib/i18n.ts';
import { otherReleases } from '../../lib/other-releases.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Queue, QueueRow } from './Queue.tsx';

/** Environments that are not what they seem: of several releases, or with something that drifts or that nobody sees. */
export function UnsettledQueue({
  rows,
  cursor,
}: {
  readonly rows: readonly UnsettledRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.unsettled')} n={rows.length}>
      {rows.map((row) => (
        <QueueRow
          key={row.id}
          id={row.id}
          cursor={cursor}
          mark={
            strays(row) ? (
              <EstateLabel state={row.estateState} />
            ) : (
              <StateLabel shape="attention" tone="attention">
                {t('today.mixed')}
              </StateLabel>
            )
          }
          what={row.name}
          why={whyUnsettled(row)}
          since={row.currentDeployment?.completedAt ?? row.createdAt}
          verb={(weight) => (
            <LinkButton data-open="" size="small" weight={weight} to="/environments/$id" params={{ id: row.id }}>
              {t('today.verb.environment')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}

const strays = <Row extends UnsettledRowFragment>(
  row: Row,
): row is Row & { readonly estateState: 'DRIFT' | 'UNOBSERVED' } =>
  row.estateState === 'DRIFT' || row.estateState === 'UNOBSERVED';

const whyUnsettled = (row: UnsettledRowFragment): string =>
  [
    ...otherReleases(row).map(({ n, of, what }) => t('runs.others', { n, of, what })),
    ...(strays(row) ? [t(`today.why.${row.estateState}`)] : []),
  ].join(' · ');
