import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './CellGrid.module.css';
import { Spacer } from './DataTable.tsx';
import { showOverflowTitle } from './overflow-title.ts';
import { type Look, ShapeIcon, toneOf } from './StateLabel.tsx';

/** Cell of a grid: its look, its name, and one word. */
export type Cell = { readonly look: Look; readonly id: string; readonly name: string; readonly word: string };

/** Number of cells above which only the rows in sight are in the page. */
const VIRTUAL_PAST = 240;
const CELL_WIDTH = 140;
/** Cells in a row on a phone. */
const NARROW_WIDTH = 112;
const ESTIMATED_ROW_HEIGHT = 38;

/** Index after a key press in the grid; undefined for other keys. */
const stepOf = (key: string, columns: number, index: number, last: number): number | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: 5 * columns,
    PageUp: -5 * columns,
    Home: -index,
    End: last - index,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(last, Math.max(0, index + step));
};

type CellGridProps = {
  readonly label: string;
  readonly cells: readonly Cell[];
  /** Cell that is open beside the grid. */
  readonly chosen?: string | undefined;
  readonly open: (id: string) => void;
};

/** Dense cells: a table with one tab stop and arrow keys. Above `VIRTUAL_PAST` cells only visible rows are rendered. */
export function CellGrid({ label, cells, chosen: selected, open }: CellGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const columnCount = useColumns(box);
  const columns = Math.max(1, Math.min(columnCount, cells.length));
  const [focused, setFocused] = useState<string>();
  const requested = useRef<string>(undefined);
  const opener = useRef(open);
  useEffect(() => {
    opener.current = open;
  });
  const press = useCallback((id: string) => {
    setFocused(id);
    opener.current(id);
  }, []);
  const at = Math.max(
    0,
    cells.findIndex(({ id }) => id === (focused ?? selected)),
  );
  const rows = Math.ceil(cells.length / columns);
  const isVirtual = cells.length > VIRTUAL_PAST;
  const virtualizer = useVirtualizer({
    count: isVirtual ? rows : 0,
    getScrollElement: () => box.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const visible = isVirtual ? items.map(({ index }) => index) : Array.from({ length: rows }, (_, row) => row);

  const step = (event: KeyboardEvent) => {
    const next = stepOf(event.key, columns, at, cells.length - 1);
    const cell = next === undefined ? undefined : cells[next];
    if (next === undefined || cell === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    requested.current = cell.id;
    setFocused(cell.id);
    if (isVirtual) virtualizer.scrollToIndex(Math.floor(next / columns));
  };
  // The cell may not be in the page before its row has been scrolled to.
  useLayoutEffect(() => {
    if (requested.current === undefined) return;
    const cell = box.current?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(requested.current)}"]`);
    if (cell === undefined || cell === null) return;
    requested.current = undefined;
    cell.focus();
  });

  const [first, last] = [items[0], items.at(-1)];
  return (
    <div ref={box} className={isVirtual ? styles.scroll : undefined}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked by arrows is a grid (ARIA 1.2).
        role="grid"
        className={styles.grid}
        // A few cells get the width that cells of a full grid have.
        style={{ width: `${(100 * columns) / columnCount}%` }}
        aria-label={label}
        aria-rowcount={rows}
        onKeyDown={step}
        onPointerOver={showOverflowTitle}
      >
        <tbody>
          {isVirtual && <Spacer height={first?.start ?? 0} span={columns} />}
          {visible.map((row) => (
            <tr key={row} aria-rowindex={row + 1}>
              {cells.slice(row * columns, (row + 1) * columns).map((cell, column) => (
                <CellButton
                  key={cell.id}
                  {...cell}
                  pressed={cell.id === selected}
                  isStop={row * columns + column === at}
                  press={press}
                />
              ))}
              {row === rows - 1 && <EmptyCells of={columns * rows - cells.length} />}
            </tr>
          ))}
          {isVirtual && <Spacer height={virtualizer.getTotalSize() - (last?.end ?? 0)} span={columns} />}
        </tbody>
      </table>
    </div>
  );
}

/** Drawn again only when something of it changes: twenty changes a second touch twenty cells, not all. */
const CellButton = memo(function CellButton({
  id,
  look,
  name,
  word,
  pressed,
  isStop,
  press,
}: Cell & {
  readonly pressed: boolean;
  readonly isStop: boolean;
  readonly press: (id: string) => void;
}) {
  return (
    <td>
      <button
        type="button"
        data-cell={id}
        className={`${styles.cell} ${styles[toneOf(look)] ?? ''}`}
        aria-pressed={pressed}
        tabIndex={isStop ? 0 : -1}
        onClick={() => press(id)}
      >
        <ShapeIcon look={look} />
        <span className="clip">{name}</span>
        <small className="clip">{word}</small>
      </button>
    </td>
  );
});

/** Fills the last row, so that its cells keep their width. */
const EmptyCells = ({ of }: { readonly of: number }) => (of > 0 ? <td colSpan={of} className={styles.rest} /> : null);

/** Number of cells that fit side by side in the grid. */
function useColumns(box: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(6);
  useLayoutEffect(() => {
    if (box.current) setColumns(columnsOf(box.current.clientWidth));
  }, [box]);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setColumns(columnsOf(current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, [box]);
  return columns;
}

const columnsOf = (width: number): number =>
  Math.max(1, Math.floor(width / (width < 3 * CELL_WIDTH ? NARROW_WIDTH : CELL_WIDTH)));
