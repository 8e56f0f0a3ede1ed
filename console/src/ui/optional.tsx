import type { ReactNode } from 'react';

/** A value, or the quiet words in its place where there is none. */
export const optional = <T,>(value: T | null | undefined, none: ReactNode, show: (value: T) => ReactNode): ReactNode =>
  value === null || value === undefined ? <span className="quiet">{none}</span> : show(value);
