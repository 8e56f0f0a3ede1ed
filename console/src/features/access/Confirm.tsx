import type { ReactNode } from 'react';
import type { Problem } from '../../lib/problem.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { t } from './words.ts';

/** Asks before a verb that somebody feels at once, and says what it does. */
export function Confirm({
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
        <Refusal problem={problem} />
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
