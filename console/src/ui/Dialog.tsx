import { lazy, type ReactNode, Suspense } from 'react';

const load = () => import('./DialogSurface.tsx').then((module) => ({ default: module.DialogSurface }));
const Surface = lazy(load);

/** Fetches the code of dialogs before the first one opens. */
export const preloadDialogs = (): void => void load();

/**
 * Question before an action, rendered only while it is open. Escape and a press outside close it, after a confirmation
 * when it has input or is `guarded`, unless it is `light`; the focus returns to its opener.
 */
export function Dialog(props: {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  /** Whether its content is shown nowhere else. */
  readonly guarded?: boolean;
  /** Only shows something: closing loses no input. */
  readonly light?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Suspense fallback={null}>
      <Surface {...props} />
    </Suspense>
  );
}
