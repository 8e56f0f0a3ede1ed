import { type ReactNode, useId } from 'react';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import { ActionError } from './Banner.tsx';
import { Button } from './Button.tsx';
import { DialogFooter } from './DialogFooter.tsx';

type FormFooterProps = {
  readonly state: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly verb: string;
  /** Disables the button; a text is the reason. */
  readonly off?: boolean | string;
  /** Handler of the button where the foot is in no form. */
  readonly press?: () => void;
  readonly close: () => void;
  /** Advice on the refusal, below it. */
  readonly children?: ReactNode;
};

/** Foot of a dialog's form: the refusal, the cancel button and the submit button. */
export function FormFooter({ state: { busy, problem }, verb, off = false, press, close, children }: FormFooterProps) {
  const id = useId();
  const reason = typeof off === 'string' ? off : undefined;
  return (
    <>
      <ActionError problem={problem} />
      {children}
      <DialogFooter>
        <Button onClick={close}>{t('cancel')}</Button>
        <Button
          type={press ? 'button' : 'submit'}
          weight="primary"
          busy={busy}
          off={off !== false}
          onClick={press}
          aria-describedby={reason && id}
        >
          {verb}
        </Button>
      </DialogFooter>
      {reason && (
        <p className="small quiet" id={id}>
          {reason}
        </p>
      )}
    </>
  );
}
