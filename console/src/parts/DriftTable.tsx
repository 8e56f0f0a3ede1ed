import type { EstateRowFragment } from '../generated/operations.ts';
import { useCursor } from '../lib/cursor.ts';
import { t } from '../lib/i18n.ts';
import { Button } from '../ui/Button.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Digest } from '../ui/Digest.tsx';
import { EnvironmentLink } from '../ui/EntityLink.tsx';
import { EstateLabel } from '../ui/EntityStates.tsx';
import { Link } from '../ui/Link.tsx';
import { RelativeTime, Time } from '../ui/Time.tsx';
import styles from './DriftTable.module.css';

type DriftTableProps = {
  readonly rows: readonly EstateRowFragment[];
  readonly empty?: string;
  /** Offers to accept a drift or to end its acceptance; absent where the table is read-only. */
  readonly ask?: (id: string) => void;
};

/** Placements of components: approved digest above observed digest, with the first difference marked. */
export function DriftTable({ rows, empty, ask }: DriftTableProps) {
  const cursor = useCursor(
    rows.map(({ id }) => id),
    ask,
  );
  return (
    <DataTable
      label={t('estate.placements')}
      columns={columns(ask)}
      rows={rows}
      empty={empty}
      cursor={cursor}
      labelled
    />
  );
}

/** Read-only drift table as a section of a page whose keys move through other rows. */
export const ReadOnlyDriftTable = (props: Omit<DriftTableProps, 'ask'>) => (
  <DataTable label={t('estate.placements')} columns={columns(undefined)} labelled {...props} />
);

const columns = (ask: ((id: string) => void) | undefined): Column<EstateRowFragment>[] => [
  {
    name: t('estate.column.component'),
    cell: ({ component, target: { product } }) => (
      <div>
        {component}
        {product && (
          <p className="small quiet">
            <Link look="name" to="/products/$id" params={{ id: product.id }}>
              {product.name}
            </Link>
          </p>
        )}
      </div>
    ),
  },
  { name: t('estate.column.state'), cell: ({ state }) => <EstateLabel state={state} /> },
  {
    name: t('estate.column.location'),
    cell: ({ environment, target }) => (
      <span>
        <EnvironmentLink environment={environment} /> <span className="soft">{target.name}</span>
      </span>
    ),
  },
  { name: t('estate.column.digests'), width: '24%', cell: (row) => <Digests row={row} /> },
  {
    name: t('estate.column.lastSeen'),
    cell: ({ observedAt }) =>
      observedAt === null ? <span className="quiet">{t('estate.neverSeen')}</span> : <RelativeTime at={observedAt} />,
  },
  { name: t('estate.column.owner'), cell: (row) => <Owner row={row} /> },
  ...(ask === undefined
    ? []
    : [
        {
          name: t('estate.column.actions'),
          hidden: true,
          cell: (row: EstateRowFragment) => <Verb row={row} ask={ask} />,
        },
      ]),
];

function Digests({ row: { approvedDigest, observedDigest, reason } }: { readonly row: EstateRowFragment }) {
  return (
    <dl className={styles.digests}>
      <dt>{t('estate.approved')}</dt>
      <dd>
        {approvedDigest === null ? (
          <span className="quiet">{t('estate.approved.none')}</span>
        ) : (
          <Digest value={approvedDigest} against={observedDigest} />
        )}
      </dd>
      <dt>{t('estate.running')}</dt>
      <dd>
        {observedDigest === null ? (
          <span className="quiet">{reason ?? t('estate.running.none')}</span>
        ) : (
          <span className="row">
            <Digest value={observedDigest} against={approvedDigest} />
            <Link to="/estate/$digest" params={{ digest: observedDigest }}>
              {t('estate.otherLocations')}
            </Link>
          </span>
        )}
      </dd>
    </dl>
  );
}

function Owner({ row: { deviation } }: { readonly row: EstateRowFragment }) {
  if (deviation === null) return <span className="quiet">{t('estate.owner.none')}</span>;
  const { owner, expiresAt, reason } = deviation;
  return (
    <span title={reason}>
      {owner.displayName}, <span className="soft">{t('estate.until')}</span> <Time at={expiresAt} />
    </span>
  );
}

/** Button that accepts a drift or ends its acceptance, or the rule that forbids it; nothing in any other state. */
function Verb({ row, ask }: { readonly row: EstateRowFragment; readonly ask: (id: string) => void }) {
  const { id, state, deviation, viewerCanAccept } = row;
  if (state !== 'DRIFT') return null;
  const { allowed, code, reason } = deviation?.viewerCanRevoke ?? viewerCanAccept;
  if (!allowed)
    return <span className="small quiet">{code === 'PERM_SCOPE_DENIED' ? t('forbidden.operate') : reason}</span>;
  return (
    <span>
      {' '}
      <Button size="small" onClick={() => ask(id)}>
        {t(deviation === null ? 'estate.accept' : 'estate.revoke')}
      </Button>
    </span>
  );
}
