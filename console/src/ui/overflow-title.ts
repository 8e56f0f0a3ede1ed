import type { PointerEvent } from 'react';

/** Title of a cell whose text is cut off: its full text. For a table's `onPointerOver`. */
export function showOverflowTitle({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest('th, td') : null;
  if (cell instanceof HTMLElement && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent ?? '';
}
