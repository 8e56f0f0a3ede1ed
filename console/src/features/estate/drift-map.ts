import type { EstateQuery, EstateState } from '../../generated/operations.ts';

type Counted = EstateQuery['estateMap'][number];

export interface Counts {
  readonly total: number;
  readonly drift: number;
  readonly inSync: number;
  readonly unobserved: number;
}

export interface MapCell extends Counts {
  readonly environmentId: string;
  /** Component, with its product where several have one of that name, or the first word of several components. */
  readonly column: string;
  /** Component of the column; undefined where it combines several. */
  readonly component: string | undefined;
  /** Product of the column; undefined where the component alone tells. */
  readonly productId: string | undefined;
  /** Undefined where nothing was deployed. */
  readonly state: EstateState | undefined;
}

interface MapRow extends Counts {
  readonly id: string;
  readonly name: string;
  readonly cells: readonly MapCell[];
}

export interface DriftMapData {
  readonly columns: readonly string[];
  /** Whether a column combines several components. */
  readonly isGrouped: boolean;
  readonly rows: readonly MapRow[];
}

/** Components above which a column combines those with the same first word. */
const MAX_COLUMNS = 40;

const NONE: Counts = { total: 0, drift: 0, inSync: 0, unobserved: 0 };

const sum = (all: readonly Counts[]): Counts =>
  all.reduce(
    (complete, each) => ({
      total: complete.total + each.total,
      drift: complete.drift + each.drift,
      inSync: complete.inSync + each.inSync,
      unobserved: complete.unobserved + each.unobserved,
    }),
    NONE,
  );

/** Worst state of a cell. Drift is certain and unobserved is not, so drift comes first. */
const stateOf = ({ total, drift, unobserved }: Counts): EstateState | undefined => {
  if (total === 0) return undefined;
  if (drift > 0) return 'DRIFT';
  return unobserved > 0 ? 'UNOBSERVED' : 'IN_SYNC';
};

const firstWord = (component: string): string => component.split(/[-_./]/)[0] ?? component;

type Column = Pick<MapCell, 'column' | 'component' | 'productId'>;

/** Columns by the component and product of what they count. */
const columnsOf = (counted: readonly Counted[], isGrouped: boolean) => {
  const products = Map.groupBy(counted, ({ component }) => component);
  const isShared = (component: string): boolean =>
    new Set(products.get(component)?.map(({ product }) => product?.id)).size > 1;
  return ({ component, product }: Counted): Column => {
    if (isGrouped) return { column: firstWord(component), component: undefined, productId: undefined };
    if (product === null || !isShared(component)) return { column: component, component, productId: undefined };
    return { column: `${component} ${product.name}`, component, productId: product.id };
  };
};

/** Counts of the estate as a map: environments as rows in their order, components as columns by name. */
export const driftMap = (counted: readonly Counted[]): DriftMapData => {
  const names = [...new Set(counted.map(({ component }) => component))].toSorted();
  const isGrouped = names.length > MAX_COLUMNS;
  const columnOf = columnsOf(counted, isGrouped);
  const byName = new Map(counted.map(columnOf).map((column) => [column.column, column]));
  const columns = [...byName.values()].toSorted((a, b) => (a.column < b.column ? -1 : 1));
  const rows = [...Map.groupBy(counted, ({ environment }) => environment.id)].map(([id, cellStates]): MapRow => {
    const byColumn = Map.groupBy(cellStates, (cell) => columnOf(cell).column);
    return {
      id,
      name: cellStates[0]?.environment.name ?? '',
      ...sum(cellStates),
      cells: columns.map((column) => {
        const counts = sum(byColumn.get(column.column) ?? []);
        return { environmentId: id, ...column, ...counts, state: stateOf(counts) };
      }),
    };
  });
  return { columns: columns.map(({ column }) => column), isGrouped, rows };
};
