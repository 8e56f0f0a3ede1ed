import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import styles from './Dialog.module.css';

/** Buttons of a dialog, the primary one last. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}

type CloseFootProps = { readonly label: string; readonly close: () => void; readonly children?: ReactNode };

/** Foot of a dialog that only shows something. */
export const CloseFoot = ({ label, close, children }: CloseFootProps) => (
  <DialogFoot>
    {children}
    <Button weight="primary" onClick={close}>
      {label}
    </Button>
  </DialogFoot>
);
