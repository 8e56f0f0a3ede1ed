import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import type { Cursor } from '../lib/cursor.ts';
import { showOverflowTitle } from './overflow-title.ts';
import styles from './Table.module.css';

/** Up to this many rows all are in the page; past it only those in sight. */
const VIRTUAL_PAST = 200;
/** A row's height in pixels for each density; the tokens say the same. */
const ROW_GUESS = 32;

export type Column<Row> = {
  readonly name: string;
  readonly number?: boolean;
  /** The head is heard but not seen. */
  readonly hidden?: boolean;
  readonly width?: string;
  readonly cell: (row: Row) => ReactNode;
};

/**
 * A native table. The first column names the row. Past `VIRTUAL_PAST` rows it scrolls in a box of its own, and
 * `aria-rowcount` and `aria-rowindex` tell what is not in the page.
 */
export function DataTable<Row extends { readonly id: string }>({
  label,
  columns,
  rows,
  cursor,
  labelled = false,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly cursor?: Cursor;
  /** On a phone each value has its column's name beside it: where values alone do not say what they are. */
  readonly labelled?: boolean;
}) {
  if (rows.length > VIRTUAL_PAST) {
    return <VirtualBody columns={columns} rows={rows} label={label} {...(cursor === undefined ? {} : { cursor })} />;
  }
  return (
    <table className={styles.list} aria-label={label} data-labelled={labelled} onPointerOver={showOverflowTitle}>
      <Heads columns={columns} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} {...cursor?.row(row.id)}>
            <Cells row={row} columns={columns} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function VirtualBody<Row extends { readonly id: string }>({
  label,
  columns,
  rows,
  cursor,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly cursor?: Cursor;
}) {
  const box = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_GUESS,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];

  const current = cursor?.current;
  useEffect(() => {
    const at = rows.findIndex((row) => row.id === current);
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [current, rows, virtualizer]);

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
                {...cursor?.row(row.id)}
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

function Heads<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, number, hidden, width }) => (
          <th
            key={name}
            scope="col"
            className={number ? 'num' : undefined}
            style={width === undefined ? undefined : { width }}
          >
            {hidden ? <span className="sr">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return columns.map(({ name, number, cell }, at) => (
    <Fragment key={name}>
      {at === 0 ? (
        <th scope="row">{cell(row)}</th>
      ) : (
        <td className={number ? 'num' : undefined} data-label={name}>
          {cell(row)}
        </td>
      )}
    </Fragment>
  ));
}

/** Stands for the rows out of sight. */
function Spacer({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus.
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
