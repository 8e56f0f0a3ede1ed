import { lazy, type ReactNode, Suspense } from 'react';

const load = () => import('./DialogSurface.tsx').then((module) => ({ default: module.DialogSurface }));
const Surface = lazy(load);

/** Fetches the code of questions before the first one is asked. */
export const preloadDialogs = (): void => void load();

/**
 * Asks before a verb. Rendered only while it is open. Escape and a press beside it close it, but ask first when
 * something was typed or it is `guarded`, unless it is `light`; the focus goes back to what opened it.
 */
export function Dialog(props: {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  /** It shows what is nowhere else. */
  readonly guarded?: boolean;
  /** It only shows: what is typed into it is lost to nobody. */
  readonly light?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Suspense fallback={null}>
      <Surface {...props} />
    </Suspense>
  );
}
