import { type ReactNode, useId } from 'react';
import styles from './Section.module.css';

export type SectionProps = {
  readonly title: string;
  readonly count?: ReactNode;
  readonly side?: ReactNode;
  /** No line under the head: what follows draws its own. */
  readonly bare?: boolean | undefined;
  readonly children?: ReactNode;
};

/** Section of a page with its heading, `count` beside it and `side` at its end. */
export function Section({ title, count, side, bare: plain = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={`${styles.head} ${plain ? styles.bare : ''}`}>
        <h2 id={id}>{title}</h2>
        {count !== undefined && <span className={styles.count}>{count}</span>}
        {side !== undefined && <div className={styles.side}>{side}</div>}
      </div>
      {children}
    </section>
  );
}
