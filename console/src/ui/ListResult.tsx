import type { ReactNode } from 'react';
import { useCursor } from '../lib/cursor.ts';
import type { QueryState } from '../lib/graph-hooks.ts';
import type { ListView } from '../lib/url-state.ts';
import { DataTable, type DataTableProps, idOf } from './DataTable.tsx';
import { Filters } from './Filters.tsx';
import { type PageAction, PageHead } from './PageHead.tsx';
import { Pager } from './Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from './QueryResult.tsx';
import { Section, type SectionProps } from './Section.tsx';

/** Page of a list as the graph has it. */
type Connection<Row> = {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
};

type ListResultProps<T, Row extends object> = Omit<DataTableProps<Row>, 'rows' | 'cursor' | 'empty'> & {
  readonly of: QueryState<T>;
  readonly rows: (data: T) => Connection<Row> | readonly Row[];
  /** Sentence about what could not be read. */
  readonly fault: string;
  readonly empty: string;
  readonly skeleton?: number;
  readonly list?: ListView | undefined;
  readonly filters?: ReactNode;
  readonly verb?: ReactNode;
  /** Opens a row by Enter; `j` and `k` move between rows. */
  readonly open?: (id: string) => void;
};

/** Rows of a query as a table: loading, failed, empty, empty by a filter, or there, with its filters and its pages. */
export function ListResult<T, Row extends object>(props: ListResultProps<T, Row>) {
  const { of, rows: rowsOf, fault, empty, list, filters, verb, skeleton = list ? 12 : 4, ...table } = props;
  const clear = list?.clear;
  return (
    <>
      {filters && <Filters clear={clear}>{filters}</Filters>}
      <QueryResult of={of} skeleton={<SkeletonRows rows={skeleton} />} fault={fault}>
        {(data) => {
          const found = rowsOf(data);
          const connection = 'edges' in found ? found : undefined;
          const rows = 'edges' in found ? found.edges.map(({ node }) => node) : found;
          return (
            <>
              {rows.length === 0 ? (
                <EmptyState clear={clear} verb={verb}>
                  {empty}
                </EmptyState>
              ) : (
                <Rows rows={rows} {...table} />
              )}
              {list && (
                <Pager after={list.view.after} page={connection?.pageInfo} go={(after) => list.filterBy({ after })} />
              )}
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

type RowsProps<Row extends object> = DataTableProps<Row> & { readonly open?: (id: string) => void };

function Rows<Row extends object>({ open, ...table }: RowsProps<Row>) {
  return open === undefined ? <DataTable {...table} /> : <OpenableRows {...table} open={open} />;
}

function OpenableRows<Row extends object>({ open, rowId = idOf, ...table }: RowsProps<Row>) {
  const cursor = useCursor(table.rows.map(rowId), open);
  return <DataTable {...table} rowId={rowId} cursor={cursor} />;
}

type ListPageProps<T, Row extends object> = Omit<ListResultProps<T, Row>, 'label'> & {
  readonly title: string;
  readonly lead: string;
  readonly actions?: readonly PageAction[];
};

/** Page of a list: its head, its filters, its table and its pages. */
export function ListPage<T, Row extends object>({ title, lead, actions = [], ...list }: ListPageProps<T, Row>) {
  return (
    <>
      <PageHead title={title} actions={actions}>
        {lead}
      </PageHead>
      <ListResult label={title} {...list} />
    </>
  );
}

/** Section whose content is a list; `children` follow the list. */
export function ListSection<T, Row extends object>(props: SectionProps & Omit<ListResultProps<T, Row>, 'label'>) {
  const { title, count, side, bare: plain, children, ...list } = props;
  return (
    <Section title={title} count={count} side={side} bare={plain}>
      <ListResult label={title} {...list} />
      {children}
    </Section>
  );
}
