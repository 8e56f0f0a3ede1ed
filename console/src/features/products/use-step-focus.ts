import { useEffect, useRef } from 'react';
import type { DraftStep } from './path-draft.ts';

/**
 * Keeps the focus on the graph while its steps come and go: the browser drops it with the button of a step that is taken
 * out, and with the panel of one that is closed. It goes to that step, else to the next one, the one before, or `add`.
 */
export function useStepFocus(steps: readonly DraftStep[], selected: string | undefined) {
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const add = useRef<HTMLButtonElement>(null);
  const last = useRef<{ readonly ids: readonly string[]; readonly chosen: string | undefined }>(undefined);
  useEffect(() => {
    const before = last.current;
    const ids = steps.map(({ id }) => id);
    last.current = { ids, chosen: selected };
    if (before === undefined || document.activeElement !== document.body) return;
    const remaining =
      before.ids.find((id) => !ids.includes(id)) ?? (before.chosen === selected ? undefined : before.chosen);
    if (remaining === undefined) return;
    const at = before.ids.indexOf(remaining);
    const nearest = [remaining, ...before.ids.slice(at + 1), ...before.ids.slice(0, Math.max(0, at)).toReversed()];
    const button = nearest.map((id) => buttons.current.get(id)).find((found) => found !== undefined);
    (button ?? add.current)?.focus();
  });
  return {
    add,
    /** Reference of a step's first button. */
    button: (id: string) => (element: HTMLButtonElement | null) => {
      if (element === null) buttons.current.delete(id);
      else buttons.current.set(id, element);
    },
  };
}
