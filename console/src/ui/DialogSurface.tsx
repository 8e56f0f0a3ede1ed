import { type ReactNode, useRef, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useCommandsDisabled } from '../lib/commands.ts';
import { DraftName } from '../lib/form-drafts.ts';
import { t } from '../lib/i18n.ts';
import { Banner } from './Banner.tsx';
import { Button } from './Button.tsx';
import styles from './Dialog.module.css';

type DialogSurfaceProps = {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly guarded?: boolean;
  readonly light?: boolean;
  readonly children: ReactNode;
};

export function DialogSurface(props: DialogSurfaceProps) {
  const { title, close, wide: broad = false, guarded = false, light = false, children } = props;
  useCommandsDisabled();
  /** Field that was typed into last. */
  const typed = useRef<HTMLElement>(null);
  const [asking, ask] = useState(false);
  // Escape and a press outside are easily slips, so losing input needs a confirmation.
  const leave = () => {
    if (guarded || (typed.current && !light)) ask(!asking);
    else close();
  };
  // The focused button disappears; without a new focus nothing would receive Escape.
  const stay = () => {
    ask(false);
    typed.current?.focus();
  };
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && leave()}>
      <Modal className={`${styles.modal} ${broad ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog ?? ''}>
          <Heading slot="title" className={styles.title ?? ''}>
            {title}
          </Heading>
          <div
            onInput={({ target }) => {
              if (target instanceof HTMLElement) typed.current = target;
            }}
          >
            <DraftName value={title}>{children}</DraftName>
          </div>
          {asking && <Leave stay={stay} close={close} />}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function Leave({ stay, close }: { readonly stay: () => void; readonly close: () => void }) {
  return (
    <div role="alert" className={styles.leave}>
      <Banner
        tone="attention"
        title={t('dialog.unsaved')}
        verb={
          <span className="row">
            <Button size="small" onClick={close}>
              {t('dialog.discard')}
            </Button>
            <Button size="small" weight="primary" onClick={stay} ref={(button) => button?.focus()}>
              {t('dialog.stay')}
            </Button>
          </span>
        }
      />
    </div>
  );
}
