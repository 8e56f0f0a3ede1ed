import type { ReactNode } from 'react';
import styles from './Badge.module.css';

type BadgeProps = { readonly tone?: 'good' | 'attention' | 'bad'; readonly children: ReactNode };

/** Short fact beside a name. */
export function Badge({ tone, children }: BadgeProps) {
  return <span className={`${styles.badge} ${tone === undefined ? '' : styles[tone]}`}>{children}</span>;
}
