import type { ReactNode } from 'react';
import styles from './Facts.module.css';

type FactsProps = { readonly look?: 'ends' | 'pairs' | 'page'; readonly children: ReactNode };

/** Labels and values: `ends` puts values at the far end, `pairs` in a column beside, `page` in one that has room. */
export function Facts({ look = 'ends', children }: FactsProps) {
  return <dl className={look === 'page' ? `${styles.pairs} ${styles.page}` : styles[look]}>{children}</dl>;
}

type FactProps = { readonly label: string; readonly code?: string; readonly children?: ReactNode };

/** A label and its value: `code` where it is an id, an address or the like. */
export function Fact({ label, code, children }: FactProps) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {code !== undefined && <span className="code">{code}</span>}
        {children}
      </dd>
    </>
  );
}
