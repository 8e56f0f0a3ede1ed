import type { ReactNode } from 'react';
import styles from './Facts.module.css';
import { Time } from './Time.tsx';

type FactsProps = { readonly look?: 'ends' | 'pairs' | 'page'; readonly children: ReactNode };

/** Labels and values: `ends` puts values at the far end, `pairs` in a column beside, `page` in one that has room. */
export function Facts({ look = 'ends', children }: FactsProps) {
  return <dl className={look === 'page' ? `${styles.pairs} ${styles.page}` : styles[look]}>{children}</dl>;
}

type FactProps = {
  readonly label: string;
  readonly code?: string;
  /** Instant, written as a time. */
  readonly at?: string;
  readonly children?: ReactNode;
};

/** Label and its value: `code` where it is an id, an address or the like. */
export function Fact({ label, code, at, children }: FactProps) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {code !== undefined && <span className="code">{code}</span>}
        {at !== undefined && <Time at={at} />}
        {children}
      </dd>
    </>
  );
}
