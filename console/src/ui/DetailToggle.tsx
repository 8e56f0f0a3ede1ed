import type { ReactNode } from 'react';
import styles from './DetailToggle.module.css';
import { Icon } from './Icon.tsx';

const detailId = (id: string): string => `detail-${id}`;

type DetailToggleProps = {
  /** Id of the row. */
  readonly id: string;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly children: ReactNode;
};

/** Name of a row, which opens and closes its detail below it. */
export const DetailToggle = ({ id, isOpen, toggle, children }: DetailToggleProps) => (
  <button
    type="button"
    data-open=""
    className={styles.toggle}
    aria-expanded={isOpen}
    aria-controls={isOpen ? detailId(id) : undefined}
    onClick={toggle}
  >
    <Icon name={isOpen ? 'chevron' : 'right'} size={14} />
    {children}
  </button>
);

type DetailSectionProps = {
  /** Id of the row. */
  readonly id: string;
  readonly label: string;
  readonly children: ReactNode;
};

/** Detail of a row, below it. */
export const DetailSection = ({ id, label, children }: DetailSectionProps) => (
  <section id={detailId(id)} className={styles.detail} aria-label={label}>
    {children}
  </section>
);
