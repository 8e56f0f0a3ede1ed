import type { ReactNode } from 'react';
import { useCursor } from '../lib/cursor.ts';
import type { QueryState } from '../lib/graph.ts';
import { type Column, DataTable, idOf } from './DataTable.tsx';
import { Pager } from './Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from './QueryResult.tsx';

/** A page of a list as the graph has it. */
type Connection<Row> = {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
};

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowId?: (row: Row) => string;
  readonly labelled?: boolean;
  /** Opens a row by Enter; `j` and `k` move between rows. */
  readonly open?: (id: string) => void;
};

/** Rows of a query as a table: loading, failed, empty, empty by a filter, or there, with the way to more of them. */
export function ListResult<T, Row extends object>({
  of,
  rows: rowsOf,
  fault,
  empty,
  skeleton = 4,
  clear,
  verb,
  pages,
  ...table
}: TableProps<Row> & {
  readonly of: QueryState<T>;
  readonly rows: (data: T) => Connection<Row> | readonly Row[];
  /** Says what could not be read. */
  readonly fault: string;
  /** Says why there is no row. */
  readonly empty: string;
  /** Number of rows of the skeleton. */
  readonly skeleton?: number;
  /** Clears the filters, where some are set. */
  readonly clear?: (() => void) | undefined;
  /** Offers to make the first row. */
  readonly verb?: ReactNode;
  /** The cursor of this page, and the way to another. */
  readonly pages?: { readonly after: string | undefined; readonly go: (after: string | undefined) => void };
}) {
  return (
    <QueryResult of={of} skeleton={<SkeletonRows rows={skeleton} />} fault={fault}>
      {(data) => {
        const found = rowsOf(data);
        const connection = 'edges' in found ? found : undefined;
        const rows = 'edges' in found ? found.edges.map(({ node }) => node) : found;
        const more = connection?.pageInfo.hasNextPage === true;
        return (
          <>
            {rows.length === 0 ? (
              <EmptyState clear={clear} verb={verb}>
                {empty}
              </EmptyState>
            ) : (
              <Rows rows={rows} {...table} />
            )}
            {pages && (
              <Pager
                after={pages.after}
                end={more ? (connection?.pageInfo.endCursor ?? undefined) : undefined}
                go={pages.go}
              />
            )}
          </>
        );
      }}
    </QueryResult>
  );
}

function Rows<Row extends object>(props: TableProps<Row> & { readonly rows: readonly Row[] }) {
  const { open, ...table } = props;
  return open === undefined ? <DataTable {...table} /> : <OpenableRows {...table} open={open} />;
}

function OpenableRows<Row extends object>({
  open,
  rowId = idOf,
  ...table
}: TableProps<Row> & { readonly rows: readonly Row[]; readonly open: (id: string) => void }) {
  const cursor = useCursor(table.rows.map(rowId), open);
  return <DataTable {...table} rowId={rowId} cursor={cursor} />;
}
