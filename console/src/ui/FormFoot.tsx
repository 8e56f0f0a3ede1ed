import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import { ActionError } from './Banner.tsx';
import { Button } from './Button.tsx';
import { DialogFoot } from './DialogFoot.tsx';

/** Foot of a dialog's form: the refusal, the cancel button and the submit button. */
export function FormFoot({
  act: { busy, problem },
  verb,
  off = false,
  close,
}: {
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined };
  /** The word on the button. */
  readonly verb: string;
  /** There is nothing to send. */
  readonly off?: boolean;
  readonly close: () => void;
}) {
  return (
    <>
      <ActionError problem={problem} />
      <DialogFoot>
        <Button onClick={close}>{t('cancel')}</Button>
        <Button type="submit" weight="primary" busy={busy} off={off}>
          {verb}
        </Button>
      </DialogFoot>
    </>
  );
}
