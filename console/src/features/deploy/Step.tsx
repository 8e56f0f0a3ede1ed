import { type ReactNode, useId } from 'react';
import styles from './Deploy.module.css';

type StepProps = {
  readonly number: number;
  readonly title: string;
  readonly side?: ReactNode;
  readonly children: ReactNode;
};

export function Step({ number, title, side, children }: StepProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.step}>
      <h2>
        <span className={styles.number}>{number}</span>
        <span id={id}>{title}</span>
        <span className={styles.side}>{side}</span>
      </h2>
      {children}
    </section>
  );
}
