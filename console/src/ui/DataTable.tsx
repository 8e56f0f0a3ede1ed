import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import type { Cursor } from '../lib/cursor.ts';
import { usePhone, useTablet } from '../lib/viewport.ts';
import { showOverflowTitle } from './overflow-title.ts';
import { EmptyState } from './QueryResult.tsx';
import styles from './Table.module.css';

/** Number of rows above which only those in sight are in the page. */
const VIRTUAL_PAST = 200;
/** Height of a row in pixels by density; equal to the tokens. */
const ESTIMATED_ROW_HEIGHT = 32;
/** Number of columns from which a table of labelled values is a list on a tablet, too. */
const MANY_COLUMNS = 6;

export type Column<Row> = {
  readonly name: string;
  readonly number?: boolean;
  /** Head is for screen readers only. */
  readonly hidden?: boolean;
  readonly width?: string;
  /** Classes of the cells. */
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
};

/** The `id` of a row that has one. */
export const idOf = (row: object): string => ('id' in row && typeof row.id === 'string' ? row.id : '');

export type DataTableProps<Row extends object> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Identity of a row; its `id` unless it is given. */
  readonly rowId?: (row: Row) => string;
  readonly cursor?: Cursor | undefined;
  /** Labels each value with its column's name where the table is a list: for values that do not explain themselves. */
  readonly labelled?: boolean;
  /** Heads are for screen readers only. */
  readonly quietHead?: boolean;
  /** Index of the column that names the row. */
  readonly named?: number;
  /** Content in place of a table without rows. */
  readonly empty?: ReactNode;
  /** Row whose detail is open in place, below it; a table of more than `VIRTUAL_PAST` rows has none. */
  readonly detail?: { readonly id: string | undefined; readonly show: (row: Row) => ReactNode };
};

/** Native table whose column at `named` names the row; a list where it is too narrow. Above `VIRTUAL_PAST` rows only visible ones are rendered. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId = idOf, cursor, labelled = false, quietHead = false, named = 0, empty } = props;
  const { detail } = props;
  const isList = useIsList(labelled && columns.length >= MANY_COLUMNS);
  if (rows.length === 0 && empty !== undefined) return <EmptyState>{empty}</EmptyState>;
  if (rows.length > VIRTUAL_PAST) return <VirtualTable {...props} rowId={rowId} />;
  return (
    <table
      className={styles.list}
      aria-label={label}
      data-labelled={labelled}
      data-list={isList}
      onPointerOver={showOverflowTitle}
    >
      <Heads columns={columns} quiet={quietHead} />
      <tbody>
        {rows.map((row) => (
          <Fragment key={rowId(row)}>
            <tr {...cursor?.row(rowId(row))}>
              <Cells row={row} columns={columns} named={named} />
            </tr>
            {detail !== undefined && detail.id === rowId(row) && (
              <tr className={styles.detail}>
                <td colSpan={columns.length} className={styles.detailCell}>
                  {detail.show(row)}
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** Whether the rows of a table are drawn as a list of values. */
function useIsList(isWide: boolean): boolean {
  const [isPhone, isTablet] = [usePhone(), useTablet()];
  return isPhone || (isWide && isTablet);
}

type VirtualTableProps<Row extends object> = DataTableProps<Row> & { readonly rowId: (row: Row) => string };

function VirtualTable<Row extends object>({ label, columns, rows, rowId, cursor }: VirtualTableProps<Row>) {
  const box = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => (rows[index] === undefined ? index : rowId(rows[index])),
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];

  const current = cursor?.current;
  useEffect(() => {
    const at = rows.findIndex((row) => rowId(row) === current);
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [current, rows, rowId, virtualizer]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
    <section ref={box} className={styles.scroll} tabIndex={0} aria-label={label}>
      <table aria-label={label} aria-rowcount={rows.length + 1} onPointerOver={showOverflowTitle}>
        <Heads columns={columns} />
        <tbody>
          <Spacer height={first?.start ?? 0} span={columns.length} />
          {items.map(({ index, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr
                key={key}
                data-index={index}
                ref={virtualizer.measureElement}
                aria-rowindex={index + 2}
                {...cursor?.row(rowId(row))}
              >
                <Cells row={row} columns={columns} />
              </tr>
            );
          })}
          <Spacer height={virtualizer.getTotalSize() - (last?.end ?? 0)} span={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

type HeadsProps<Row> = { readonly columns: readonly Column<Row>[]; readonly quiet?: boolean };

function Heads<Row>({ columns, quiet = false }: HeadsProps<Row>) {
  return (
    <>
      {/* Widths hold while the heads are hidden, too. */}
      <colgroup>
        {columns.map(({ name, width }) => (
          <col key={name} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead className={quiet ? 'sr' : undefined}>
        <tr>
          {columns.map(({ name, number, hidden }) => (
            <th key={name} scope="col" className={number ? 'num' : undefined}>
              {hidden ? <span className="sr">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

type CellsProps<Row> = { readonly row: Row; readonly columns: readonly Column<Row>[]; readonly named?: number };

function Cells<Row>({ row, columns, named = 0 }: CellsProps<Row>) {
  return columns.map(({ name, number, className, cell }, index) => (
    <Fragment key={name}>
      {index === named ? (
        <th scope="row" className={className}>
          {cell(row)}
        </th>
      ) : (
        <td className={[number && 'num', className].filter(Boolean).join(' ') || undefined} data-label={name}>
          {cell(row)}
        </td>
      )}
    </Fragment>
  ));
}

/** Row with the height of the rows that are not rendered. */
export function Spacer({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus.
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
