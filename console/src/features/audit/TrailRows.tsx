import type { AuditRowFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { csv, download } from '../../lib/download.ts';
import { wordsOr } from '../../lib/i18n.ts';
import { Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { Time } from '../../ui/Time.tsx';
import { pageOf } from './entity-page.ts';
import type { Narrowed } from './NarrowTrail.tsx';
import { saidOf, summaryOf } from './trail.ts';
import { t } from './words.ts';

type Narrow = (next: Narrowed) => void;

/** A page of the trail. What a row names can be followed: the thing to its page, the rest to the rows that share it. */
export function TrailRows({ rows, narrow }: { readonly rows: readonly AuditRowFragment[]; readonly narrow: Narrow }) {
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] summary`)?.click(),
  );
  useCommands([{ id: 'audit.csv', group: 'act', title: t('audit.csv'), run: () => exportRows(rows) }]);
  return <DataTable label={t('audit.title')} columns={columns(narrow)} rows={rows} cursor={cursor} labelled />;
}

const columns = (narrow: Narrow): Column<AuditRowFragment>[] => [
  { name: t('audit.column.at'), cell: ({ at }) => <Time at={at} as="full" /> },
  { name: t('audit.column.what'), cell: ({ type }) => <span className="code">{type}</span> },
  { name: t('audit.column.thing'), cell: (row) => <Thing row={row} narrow={narrow} /> },
  {
    name: t('audit.column.who'),
    cell: ({ actor: { id, displayName } }) => (
      <Chip pressed={false} onPress={() => narrow({ actor: id })}>
        <span className="sr">{t('audit.only')} </span>
        {displayName}
      </Chip>
    ),
  },
  { name: t('audit.column.said'), cell: (row) => <Data row={row} narrow={narrow} /> },
];

/** What it happened to: a link where there is a page of it. */
function Thing({
  row: { entity, entityId, version },
  narrow,
}: {
  readonly row: AuditRowFragment;
  readonly narrow: Narrow;
}) {
  const page = pageOf(entity);
  const name = wordsOr(`entity.${entity}`, entity);
  return (
    <span title={t('audit.version', { id: entityId, version })}>
      {page === undefined ? (
        <Chip pressed={false} onPress={() => narrow({ entity, id: entityId })}>
          {name} <span className="code">{shortened(entityId)}</span>
        </Chip>
      ) : (
        <Link to={page} params={{ id: entityId }}>
          {name} <span className="code">{shortened(entityId)}</span>
        </Link>
      )}
    </span>
  );
}

/** Ids of one day begin alike: their end tells them apart. */
const shortened = (id: string): string => (id.length > 20 ? `…${id.slice(-8)}` : id);

/** What the row says, folded to a line. */
function Data({ row, narrow }: { readonly row: AuditRowFragment; readonly narrow: Narrow }) {
  const { entity, entityId, version, correlationId, data } = row;
  const said = saidOf(data);
  return (
    <details>
      <summary>{summaryOf(said) || t('audit.nothing')}</summary>
      <Facts look="pairs">
        {said.map(({ name, value }) => (
          <Fact key={name} label={name || t('audit.data')}>
            {value}
          </Fact>
        ))}
        <Fact label={t('audit.by.id')}>
          <span className="code">{entityId}</span> · {t('audit.at.version', { version })}
        </Fact>
        <Fact label={t('audit.by.correlation')}>
          <span className="code">{correlationId}</span>
        </Fact>
      </Facts>
      <p className="row" style={{ flexWrap: 'wrap', paddingBlock: 4 }}>
        <Chip pressed={false} onPress={() => narrow({ correlation: correlationId })}>
          {t('audit.same.request')}
        </Chip>
        <Chip pressed={false} onPress={() => narrow({ entity, id: entityId })}>
          {t('audit.same.thing')}
        </Chip>
      </p>
    </details>
  );
}

function exportRows(rows: readonly AuditRowFragment[]): void {
  const head = ['id', 'at', 'type', 'entity', 'entityId', 'version', 'actor', 'actorName', 'correlationId', 'data'];
  const lines = rows.map((row) => [
    row.id,
    row.at,
    row.type,
    row.entity,
    row.entityId,
    String(row.version),
    row.actor.id,
    row.actor.displayName,
    row.correlationId,
    row.data,
  ]);
  download('audit.csv', 'text/csv', csv(head, lines));
}
