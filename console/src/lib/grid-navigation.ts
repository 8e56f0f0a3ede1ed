import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

type GridCell = readonly [row: number, column: number];

const STEPS: Readonly<Record<string, GridCell>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

const within = (value: number, size: number): number => Math.min(size - 1, Math.max(0, value));

/** Field of cells with one tab stop, walked by arrows (ARIA grid pattern). */
interface GridNavigation {
  readonly table: RefObject<HTMLTableElement | null>;
  /** Cell that Tab leads to. */
  readonly row: number;
  readonly column: number;
  readonly step: (event: KeyboardEvent) => void;
  readonly cell: (row: number, column: number) => { readonly tabIndex: 0 | -1; readonly onFocus: () => void };
}

/** Cell with the tab stop is focused by its `tabindex`, so each cell has exactly one control. */
export function useGridNavigation(rows: number, columns: number): GridNavigation {
  const [current, setFocused] = useState<GridCell>([0, 0]);
  const table = useRef<HTMLTableElement>(null);
  const isWalking = useRef(false);
  const [row, column] = [within(current[0], rows), within(current[1], columns)];
  useLayoutEffect(() => {
    if (!isWalking.current) return;
    isWalking.current = false;
    table.current?.querySelector<HTMLElement>('[data-cell][tabindex="0"]')?.focus();
  });
  return {
    table,
    row,
    column,
    step(event) {
      const by = STEPS[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      isWalking.current = true;
      setFocused([within(row + by[0], rows), within(column + by[1], columns)]);
    },
    cell: (r, c) => ({ tabIndex: r === row && c === column ? 0 : -1, onFocus: () => setFocused([r, c]) }),
  };
}
