import { type ReactNode, useState } from 'react';
import { t } from '../lib/i18n.ts';
import type { Problem } from '../lib/problem.ts';
import { Dialog } from './Dialog.tsx';
import { Form, TextArea } from './Form.tsx';
import { FormFoot } from './FormFoot.tsx';

/** Asks for a reason before a verb that is kept in the trail. `children` say what the verb does, and choose how. */
export function ReasonDialog({
  title,
  verb,
  busy,
  problem,
  wide = false,
  off = false,
  submit,
  close,
  children,
}: {
  readonly title: string;
  /** The word on the button. */
  readonly verb: string;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly wide?: boolean;
  /** There is nothing to do it to. */
  readonly off?: boolean;
  readonly submit: (reason: string) => unknown;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  const [wrong, setWrong] = useState<string>();
  const send = (data: FormData) => {
    const reason = String(data.get('reason')).trim();
    if (reason === '') return setWrong(t('reason.missing'));
    setWrong(undefined);
    return submit(reason);
  };
  return (
    <Dialog title={title} close={close} wide={wide}>
      <Form problems={problem?.fields} submit={send}>
        {children}
        <TextArea
          name="reason"
          label={t('reason')}
          hint={t('field.kept')}
          wrong={wrong}
          maxLength={2000}
          required
          autoFocus
        />
        <FormFoot act={{ busy, problem }} verb={verb} off={off} close={close} />
      </Form>
    </Dialog>
  );
}
