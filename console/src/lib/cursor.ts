import { useState } from 'react';
import { type Command, useCommands } from './commands.ts';
import { t } from './i18n.ts';

/** Row that `j`, `k` and `Enter` work on, over one list or several in reading order. */
export type Cursor = {
  readonly current: string | undefined;
  readonly row: (id: string) => { readonly 'aria-current': 'true' | undefined; readonly 'data-row': string };
};

/** Row cursor of a list; Enter calls `open`, and a link marked `data-open` in the row gets the focus. */
export function useCursor(
  ids: readonly string[],
  open?: (id: string) => void,
  selected?: { readonly id: string | undefined; readonly choose: (id: string) => void },
): Cursor {
  const [own, setOwn] = useState<string>();
  const requested = selected === undefined ? own : selected.id;
  // Until a row is chosen the cursor is on the first; a page with its own cursor may have none.
  const current =
    requested !== undefined && ids.includes(requested) ? requested : selected === undefined ? ids[0] : undefined;

  const move = (id: string) => {
    (selected?.choose ?? setOwn)(id);
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector<HTMLElement>('[data-open]')?.focus({ preventScroll: true });
  };
  const step = (by: number) => () => {
    const at = current === undefined ? -1 : ids.indexOf(current);
    const next = ids[Math.min(ids.length - 1, Math.max(0, at + by))];
    if (next !== undefined) move(next);
  };

  useCommands([
    { id: 'row.next', group: 'move', keys: 'j', title: t('keys.next'), run: step(1) },
    { id: 'row.previous', group: 'move', keys: 'k', title: t('keys.previous'), run: step(-1) },
    ...(open === undefined ? [] : [enter(() => current !== undefined && open(current))]),
  ]);

  return {
    current,
    row: (id) => ({ 'aria-current': id === current ? 'true' : undefined, 'data-row': id }),
  };
}

const enter = (run: () => void): Command => ({
  id: 'row.open',
  group: 'move',
  keys: 'Enter',
  title: t('keys.open'),
  run,
});
