import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import styles from './Dialog.module.css';

/** Buttons of a dialog, the primary one last. */
export function DialogFooter({ children }: { readonly children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}

type CloseFooterProps = { readonly label: string; readonly close: () => void; readonly children?: ReactNode };

/** Foot of a dialog that only shows something. */
export const CloseFooter = ({ label, close, children }: CloseFooterProps) => (
  <DialogFooter>
    {children}
    <Button weight="primary" onClick={close}>
      {label}
    </Button>
  </DialogFooter>
);
