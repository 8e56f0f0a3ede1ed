import type { ReactNode } from 'react';
import styles from './Dialog.module.css';

/** Buttons of a dialog, the primary one last. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}
