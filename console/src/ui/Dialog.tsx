import { lazy, type ReactNode, Suspense } from 'react';

const load = () => import('./DialogSurface.tsx').then((module) => ({ default: module.DialogSurface }));
const Surface = lazy(load);

/** Fetches the code of dialogs before the first one opens. */
export const preloadDialogs = (): void => void load();

/** Question before an action; closing asks for confirmation if it is `guarded`, or has input and is not `light`. */
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
