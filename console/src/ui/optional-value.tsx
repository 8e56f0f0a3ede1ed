import type { ReactNode } from 'react';

/** Value, or the quiet text in its place where there is none. */
export const optional = <T,>(value: T | null | undefined, none: ReactNode, show: (value: T) => ReactNode): ReactNode =>
  value === null || value === undefined ? <span className="quiet">{none}</span> : show(value);
