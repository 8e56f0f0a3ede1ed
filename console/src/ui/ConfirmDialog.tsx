import type { ReactNode } from 'react';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import { ActionError } from './Banner.tsx';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { DialogFoot } from './DialogFoot.tsx';

/** Asks before a verb that somebody feels at once, and says what it does. */
export function ConfirmDialog({
  title,
  lead,
  verb,
  act: { busy, problem },
  run,
  close,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  /** The word on the button. */
  readonly verb: string;
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly run: () => unknown;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <Dialog title={title} close={close}>
      <div className="stack">
        <p className="soft">{lead}</p>
        {children}
        <ActionError problem={problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button weight="primary" busy={busy} onClick={() => void run()}>
            {verb}
          </Button>
        </DialogFoot>
      </div>
    </Dialog>
  );
}
