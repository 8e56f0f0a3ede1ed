import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { t } from '../lib/i18n.ts';
import { usePhone } from '../lib/viewport.ts';
import styles from './PathGraph.module.css';
import { layOutPath, type PathLayout } from './path-layout.ts';

/** Step as the graph shows it, under the id of its environment. */
interface GraphStep {
  readonly id: string;
  /** Steps that it comes directly after. */
  readonly after: readonly string[];
  readonly look?: 'normal' | 'chosen' | 'wrong' | 'running' | 'quiet' | undefined;
  readonly content: ReactNode;
}

/** Units of the drawing: a column or a row. */
const CELL = 100;
/** Space on each side of a step, as a share of its column; the same in the style sheet. */
const GAP = 11;
/** Width of a column in pixels, unless a path needs more. */
const COLUMN_WIDTH = 196;

type PathGraphProps = {
  readonly steps: readonly GraphStep[];
  /** Least width of a column in pixels. */
  readonly columnWidth?: number;
};

/** Path as a layered graph; on a phone a list, whose steps say what they come after. */
export function PathGraph({ steps, columnWidth = COLUMN_WIDTH }: PathGraphProps) {
  const isList = usePhone();
  const selected = steps.find(({ look }) => look === 'chosen')?.id;
  const visible = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chosen step is why the graph moves.
  useEffect(() => {
    visible.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [selected]);
  // The layout follows the shape of the path; what the steps show changes far more often.
  const shape = JSON.stringify(steps.map(({ id, after }) => [id, after]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` is what the layout reads of the steps.
  const layout = useMemo(() => layOutPath(steps), [shape]);
  const { columns, rows, places: positions } = layout;
  const pointOf = (id: string) => positions.get(id) ?? { column: 0, row: 0 };
  // Reading order and the order of Tab are those of the drawing: column by column.
  const ordered = steps.toSorted((a, b) => {
    const [one, other] = [pointOf(a.id), pointOf(b.id)];
    return one.column - other.column || one.row - other.row;
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a graph that scrolls must be reachable by keyboard (WCAG 2.1.1).
    <section className={styles.scroll} tabIndex={0} aria-label={t('path.graph')}>
      <div className={styles.graph} style={isList ? undefined : { minWidth: columns * columnWidth }}>
        {!isList && <Edges layout={layout} />}
        <ol
          className={isList ? styles.list : styles.steps}
          style={
            isList
              ? undefined
              : {
                  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                  gridTemplateRows: `repeat(${2 * rows}, 1fr)`,
                }
          }
        >
          {ordered.map(({ id, after, look, content }) => {
            const { column, row } = pointOf(id);
            return (
              <li
                key={id}
                ref={id === selected ? visible : undefined}
                style={isList ? undefined : { gridColumn: column + 1, gridRow: `${2 * row + 1} / span 2` }}
              >
                <div
                  className={[styles.step, look && styles[look], after.length > 0 && styles.later]
                    .filter(Boolean)
                    .join(' ')}
                >
                  {content}
                </div>
              </li>
            );
          })}
        </ol>
      </div>
    </section>
  );
}

function Edges({ layout: { columns, rows, edges } }: { readonly layout: PathLayout }) {
  return (
    <svg
      className={styles.edges}
      viewBox={`0 0 ${columns * CELL} ${rows * CELL}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {edges.map(({ from, to, points, isBackward }) => (
        <path
          key={`${from} ${to}`}
          className={isBackward ? styles.backward : undefined}
          d={isBackward ? backward(points) : forward(points)}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

type Points = PathLayout['edges'][number]['points'];

/** Curves from column to column, and straight lines beside the steps between. */
const forward = (points: Points): string =>
  points
    .map(({ column, row }, index) => {
      const y = (row + 0.5) * CELL;
      const [left, right] = [column * CELL + GAP, (column + 1) * CELL - GAP];
      const last = points[index - 1];
      if (last === undefined) return `M${right} ${y}`;
      const curve = `C${column * CELL} ${(last.row + 0.5) * CELL} ${column * CELL} ${y} ${left} ${y}`;
      return index === points.length - 1 ? curve : `${curve}H${right}`;
    })
    .join('');

/** Line from one step back to another, below both. */
function backward([from, to]: Points): string {
  if (from === undefined || to === undefined) return '';
  const [x, y] = [(from.column + 0.5) * CELL, (from.row + 0.5) * CELL];
  const [a, b] = [(to.column + 0.5) * CELL, (to.row + 0.5) * CELL];
  const low = (Math.max(from.row, to.row) + 1.1) * CELL;
  return `M${x} ${y}C${x} ${low} ${a} ${low} ${a} ${b}`;
}
