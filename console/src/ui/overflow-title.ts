import type { PointerEvent } from 'react';

/** A cell whose words are cut off says all of them when it is pointed at. For a table's `onPointerOver`. */
export function showOverflowTitle({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest('th, td') : null;
  if (cell instanceof HTMLElement && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent ?? '';
}
