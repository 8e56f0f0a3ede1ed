import type { AuditRowFragment } from '../../generated/operations.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { Time } from '../../ui/Time.tsx';
import { entityPage } from './entity-page.ts';
import { dataFields, dataSummary, shortenId } from './event-data.ts';
import type { AuditView } from './FilterDialog.tsx';
import { entityLabel, t } from './labels.ts';

/** Unfolds the data of an event. */
export const unfold = (id: string): void =>
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] summary`)?.click();

/** Columns of the trail. Entities link to their page; other values filter the trail. */
export const columns = (view: AuditView): Column<AuditRowFragment>[] => [
  { name: t('audit.column.at'), cell: ({ at }) => <Time at={at} as="full" /> },
  { name: t('audit.column.event'), cell: ({ type }) => <span className="code">{type}</span> },
  { name: t('audit.column.entity'), cell: (row) => <EntityCell row={row} view={view} /> },
  {
    name: t('audit.column.actor'),
    cell: ({ actor: { id, displayName } }) => (
      <Link look="name" to="/audit" search={{ ...view, actor: id }} title={id} style={NO_WRAP}>
        <span className="sr">{t('audit.only')} </span>
        {shortenId(displayName)}
      </Link>
    ),
  },
  { name: t('audit.column.data'), cell: (row) => <Data row={row} view={view} /> },
];

const NO_WRAP = { whiteSpace: 'nowrap' } as const;

type EntityCellProps = { readonly row: AuditRowFragment; readonly view: AuditView };

/** Entity of an event: a link to its page where it has one, to its other events otherwise. */
function EntityCell({ row: { entity, entityId, version }, view }: EntityCellProps) {
  const page = entityPage(entity);
  const title = t('audit.version', { id: entityId, version });
  const text = (
    <>
      {entityLabel(entity)} <span className="code">{shortenId(entityId)}</span>
    </>
  );
  if (page === undefined)
    return (
      <Link look="name" to="/audit" search={{ ...view, entity, id: entityId }} title={title} style={NO_WRAP}>
        {text}
      </Link>
    );
  return (
    <Link to={page} params={{ id: entityId }} title={title} style={NO_WRAP}>
      {text}
    </Link>
  );
}

/** Data of an event, folded to a line. */
function Data({ row, view }: { readonly row: AuditRowFragment; readonly view: AuditView }) {
  const { entity, entityId, version, correlationId, data } = row;
  const fields = dataFields(data);
  return (
    <details style={{ overflowWrap: 'anywhere', minWidth: 'min(24ch, 50vw)' }}>
      <summary>{dataSummary(fields) || t('audit.end')}</summary>
      <Facts look="pairs">
        {fields.map(({ name, value }) => (
          <Fact key={name} label={name || t('audit.data')}>
            {value}
          </Fact>
        ))}
        <Fact label={t('audit.by.id')}>
          <span className="code">{entityId}</span> · {t('audit.at.version', { version })}
        </Fact>
        <Fact label={t('audit.by.correlation')} code={correlationId} />
        <Fact label={t('audit.more')}>
          <Link to="/audit" search={{ ...view, correlation: correlationId }}>
            {t('audit.same.request')}
          </Link>{' '}
          ·{' '}
          <Link to="/audit" search={{ ...view, entity, id: entityId }}>
            {t('audit.same.entity')}
          </Link>
        </Fact>
      </Facts>
    </details>
  );
}
