import type { ReactNode } from 'react';
import styles from './Gauges.module.css';

/** Figures of a page: a label, a number or a value, one line of context, with hairlines between them. */
export function Gauges({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <dl className={styles.gauges} aria-label={label}>
      {children}
    </dl>
  );
}

type GaugeProps = {
  readonly label: string;
  readonly big?: ReactNode;
  readonly value?: ReactNode;
  readonly sub?: ReactNode;
};

export function Gauge({ label, big, value, sub }: GaugeProps) {
  return (
    <div className={styles.gauge}>
      <dt>{label}</dt>
      <dd>
        {big !== undefined && <span className={styles.big}>{big}</span>}
        {value !== undefined && <span className={styles.value}>{value}</span>}
        {sub !== undefined && <span className={styles.sub}>{sub}</span>}
      </dd>
    </div>
  );
}
