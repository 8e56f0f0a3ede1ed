import type { ReactNode } from 'react';
import styles from './Badge.module.css';

/** Short fact beside a name. */
export function Badge({
  tone,
  children,
}: {
  readonly tone?: 'good' | 'attention' | 'bad';
  readonly children: ReactNode;
}) {
  return <span className={`${styles.badge} ${tone === undefined ? '' : styles[tone]}`}>{children}</span>;
}
