/** Step as a drawing of its path needs it: its id, and the steps it comes directly after. */
interface DrawnStep {
  readonly id: string;
  readonly after: readonly string[];
}

/** Point of a drawing: a column, and a row that may lie between two. */
interface Point {
  readonly column: number;
  readonly row: number;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  /** Points from the first step to the second, one in each column; two in any order where the edge closes a cycle. */
  readonly points: readonly Point[];
  readonly isBackward: boolean;
}

export interface PathLayout {
  readonly columns: number;
  readonly rows: number;
  /** Places of the steps, column by column. */
  readonly places: ReadonlyMap<string, Point>;
  readonly edges: readonly Edge[];
}

/** Sweeps over the columns that order their steps, forth and back. */
const PASSES = 4;

/** Column of each step: the number of steps on the longest way to it. Edges that close a cycle do not count. */
function columnsOf(steps: readonly DrawnStep[]): Map<string, number> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const columns = new Map<string, number>();
  const open = new Set<string>();
  const visit = (id: string): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    open.add(id);
    const before = (byId.get(id)?.after ?? []).filter((other) => byId.has(other) && !open.has(other));
    const column = Math.max(0, ...before.map((other) => visit(other) + 1));
    open.delete(id);
    columns.set(id, column);
    return column;
  };
  for (const { id } of steps) visit(id);
  return columns;
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sorts a column by the mean place of the neighbours of each entry; one without neighbours keeps its place. */
function sortColumn(
  column: readonly string[],
  neighbours: ReadonlyMap<string, readonly string[]>,
  previousColumn: readonly string[],
) {
  const points = column.map((id, index) => {
    const found = (neighbours.get(id) ?? [])
      .map((other) => previousColumn.indexOf(other))
      .filter((position) => position >= 0);
    return { id, place: mean(found) ?? index };
  });
  return points.toSorted((a, b) => a.place - b.place).map(({ id }) => id);
}

const append = (map: Map<string, string[]>, key: string, value: string): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

/** Layered drawing of a path: steps in columns by the longest way to them, edges that skip a column around its steps. */
export function layOutPath(steps: readonly DrawnStep[]): PathLayout {
  const columnOf = columnsOf(steps);
  const width = Math.max(0, ...columnOf.values()) + (steps.length > 0 ? 1 : 0);
  let columns: string[][] = Array.from({ length: width }, () => []);
  for (const { id } of steps) columns[columnOf.get(id) ?? 0]?.push(id);
  const remaining = new Map<string, string[]>();
  const right = new Map<string, string[]>();
  const edges = steps.flatMap(({ id: to, after }) =>
    after.flatMap((from) => {
      const [start, end] = [columnOf.get(from), columnOf.get(to)];
      if (start === undefined || end === undefined) return [];
      const isBackward = start >= end;
      // An edge that skips columns passes each of them at a place of its own.
      const between = Array.from({ length: Math.max(0, end - start - 1) }, (_, index) => `${from} ${to} ${index}`);
      for (const [at, id] of between.entries()) columns[start + 1 + at]?.push(id);
      const route = [from, ...between, to];
      for (const [at, id] of route.entries()) {
        const before = route[at - 1];
        if (isBackward || before === undefined) continue;
        append(remaining, id, before);
        append(right, before, id);
      }
      return [{ from, to, way: route, isBackward }];
    }),
  );
  for (let pass = 0; pass < PASSES; pass++) {
    const isForward = pass % 2 === 0;
    const sorted: string[][] = [];
    for (const column of isForward ? columns : columns.toReversed()) {
      const waypoints = sorted.at(-1);
      sorted.push(waypoints === undefined ? column : sortColumn(column, isForward ? remaining : right, waypoints));
    }
    columns = isForward ? sorted : sorted.toReversed();
  }
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const points = new Map(
    columns.flatMap((ids, column) =>
      ids.map((id, index) => [id, { column, row: index + (rows - ids.length) / 2 }] as const),
    ),
  );
  const pointOf = (id: string): Point => points.get(id) ?? { column: 0, row: 0 };
  return {
    columns: width,
    rows,
    places: new Map(columns.flat().flatMap((id) => (columnOf.has(id) ? [[id, pointOf(id)] as const] : []))),
    edges: edges.map(({ from, to, way: route, isBackward }) => ({ from, to, isBackward, points: route.map(pointOf) })),
  };
}
