import type { DocumentNode, TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import { type FormFields, readFields } from '../lib/form-fields.ts';
import { useAction } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';
import type { FieldProblem, Problem } from '../lib/problem.ts';
import { ActionError } from '../ui/Banner.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Form, TextArea } from '../ui/Form.tsx';
import { FormFooter } from '../ui/FormFooter.tsx';
import { toast } from '../ui/Toast.tsx';

/** Mutation of a dialog, and its success: a toast, the end of the dialog, refetched queries. */
type DialogAction<T, I extends object> = {
  readonly document: TypedDocumentNode<T, { input: I }>;
  readonly done?: string | ((result: T) => string);
  /** Queries that the change feed does not refresh. */
  readonly refetch?: readonly DocumentNode[] | 'active';
  /** Replaces closing the dialog. */
  readonly onDone?: (result: T) => unknown;
  /** Content that is shown once in place of closing; the dialog then confirms before it closes. */
  readonly result?: (result: T) => ReactNode;
  readonly title: string;
  readonly verb: string;
  readonly wide?: boolean;
  readonly close: () => void;
  readonly children?: ReactNode;
};

function useDialogAction<T, I extends object>(props: Omit<DialogAction<T, I>, 'title' | 'verb'>) {
  const { document, done: finished, refetch, onDone, result, close } = props;
  const action = useAction(document);
  const client = useApolloClient();
  const [visible, show] = useState<ReactNode>();
  const submit = async (input: I) => {
    const answer = await action.run(input);
    if (answer === undefined) return;
    if (finished !== undefined) toast(typeof finished === 'string' ? finished : finished(answer));
    if (result !== undefined) show(result(answer));
    else if (onDone !== undefined) onDone(answer);
    else close();
    if (refetch !== undefined) await client.refetchQueries({ include: refetch === 'active' ? refetch : [...refetch] });
  };
  return { ...action, submit, shown: visible };
}

export type ConfirmActionProps<T, I extends object> = DialogAction<T, I> & {
  readonly input: I;
  readonly lead: string;
  /** Advice on a refusal, where its details say more than its message. */
  readonly advice?: (problem: Problem) => ReactNode;
};

/** Dialog that asks before a mutation whose effect people feel at once. */
export function ConfirmAction<T, I extends object>({ input, lead, advice, ...props }: ConfirmActionProps<T, I>) {
  const { title, verb, wide: broad = false, close, children } = props;
  const { submit, busy, problem, shown: visible } = useDialogAction(props);
  if (visible !== undefined)
    return (
      <Dialog title={title} close={close} wide guarded>
        {visible}
      </Dialog>
    );
  return (
    <Dialog title={title} close={close} wide={broad}>
      <div className="stack">
        <p className="soft">{lead}</p>
        {children}
        <FormFooter state={{ busy, problem }} verb={verb} press={() => void submit(input)} close={close}>
          {problem && advice?.(problem)}
        </FormFooter>
      </div>
    </Dialog>
  );
}

type FormDialogProps<T, I extends object> = DialogAction<T, I> & {
  readonly input: (fields: FormFields, data: FormData) => I | undefined;
  /** Maps refused fields of the server to fields of the form. */
  readonly problems?: (problems: readonly FieldProblem[]) => readonly FieldProblem[];
  /** Whether the browser may store what is typed. */
  readonly keeps?: boolean;
  readonly off?: boolean | string;
  /** Shows the refusal above the fields. */
  readonly problemFirst?: boolean;
  /** Advice on a refusal, where the page knows more than its message. */
  readonly advice?: (problem: Problem) => ReactNode;
  /** Whether the result is shown nowhere else. */
  readonly guarded?: boolean;
};

/** Form that sends a mutation, unless a field is invalid (`fields.wrong`) or there is no input. */
export function FormDialog<T, I extends object>(props: FormDialogProps<T, I>) {
  const { title, verb, input, problems = (all) => all, advice, close, children } = props;
  const { wide: broad = false, keeps = true, off = false, problemFirst = false, guarded = true } = props;
  const action = useDialogAction(props);
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const submit = async (data: FormData) => {
    const fields = readFields(data);
    const sent = input(fields, data);
    setWrong(fields.wrong);
    if (fields.wrong.length > 0) return action.clear();
    if (sent !== undefined) await action.submit(sent);
  };
  const { busy, problem, shown: visible } = action;
  const refusal = wrong.length > 0 ? undefined : problem;
  return (
    <Dialog title={title} close={close} wide={broad} guarded={guarded && visible !== undefined}>
      {visible ?? (
        <Form problems={wrong.length > 0 ? wrong : problems(problem?.fields ?? [])} keeps={keeps} submit={submit}>
          {problemFirst && <ActionError problem={refusal} />}
          {children}
          <FormFooter state={{ busy, problem: problemFirst ? undefined : refusal }} verb={verb} off={off} close={close}>
            {refusal && advice?.(refusal)}
          </FormFooter>
        </Form>
      )}
    </Dialog>
  );
}

type ReasonDialogProps<T, I extends object> = DialogAction<T, I> & {
  readonly off?: boolean | string;
  readonly input: (reason: string) => I | undefined;
};

/** Asks for a reason before a mutation that the audit trail records. `children` explain the effect, and offer choices. */
export function ReasonDialog<T, I extends object>({ input, ...props }: ReasonDialogProps<T, I>) {
  return (
    <FormDialog
      {...props}
      input={(fields) => {
        fields.need('reason', t('reason.missing'));
        return input(fields.text('reason'));
      }}
    >
      {props.children}
      <TextArea name="reason" label={t('reason')} hint={t('field.audited')} maxLength={2000} required autoFocus />
    </FormDialog>
  );
}
