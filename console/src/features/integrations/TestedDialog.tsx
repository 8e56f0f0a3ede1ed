import type { TypedDocumentNode } from '@apollo/client';
import { type ReactNode, useState } from 'react';
import type { ProbeAnswerFragment } from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

type Saved = { readonly id: string; readonly name: string };

/**
 * The form of a remote party, which is asked before it is saved, and again afterwards, so that its row has an answer.
 * A party that fails the test is saved only when the button is pressed again with the same settings.
 */
export function TestedDialog<Tried extends object, Given extends object>({
  title,
  button,
  done,
  trial: { document: trialDocument, input: triedOf },
  save: { document: saveDocument, input: givenOf },
  test,
  close,
  children,
}: {
  readonly title: string;
  readonly button: 'integration.create.verb' | 'integration.edit.verb' | 'provider.create.verb';
  /** The toast after it was saved. */
  readonly done: 'integration.created' | 'integration.saved' | 'provider.created';
  readonly trial: Submission<{ readonly probe: ProbeAnswerFragment }, Tried>;
  readonly save: Submission<{ readonly saved: Saved }, Given>;
  /** Asks a saved one. */
  readonly test: TypedDocumentNode<unknown, { input: { readonly id: string } }>;
  readonly close: () => void;
  readonly children: ReactNode;
}) {
  const trial = useVerb(trialDocument);
  const save = useVerb(saveDocument);
  const { run: ask } = useVerb(test);
  const [failed, setFailed] = useState<{ readonly settings: string; readonly probe: ProbeAnswerFragment }>();
  const passes = async (tried: Tried): Promise<boolean> => {
    const settings = JSON.stringify(tried);
    // The same settings again, after the reader has read what the test said.
    if (failed?.settings === settings) return true;
    setFailed(undefined);
    const answer = await trial.run(tried);
    if (answer?.probe.ok === false) setFailed({ settings, probe: answer.probe });
    return answer?.probe.ok === true;
  };
  const submit = async (data: FormData) => {
    if (!(await passes(triedOf(data)))) return;
    const answer = await save.run(givenOf(data));
    if (answer === undefined) return;
    const { id, name } = answer.saved;
    toast(t(done, { name }));
    close();
    await ask({ id });
  };
  const problem = save.problem ?? trial.problem;
  return (
    <Dialog title={title} close={close}>
      <Form problems={problem?.fields} keeps={false} submit={submit}>
        {children}
        <FailedTest probe={failed?.probe} />
        <FormFoot
          act={{ busy: save.busy || trial.busy, problem }}
          verb={t(failed === undefined ? button : 'save.nevertheless')}
          close={close}
        />
      </Form>
    </Dialog>
  );
}

/** A mutation, and its input as the form has it. */
type Submission<Answer, Input> = {
  readonly document: TypedDocumentNode<Answer, { input: Input }>;
  readonly input: (data: FormData) => Input;
};

/** Why a test before saving failed, and what pressing again does. */
function FailedTest({ probe }: { readonly probe: ProbeAnswerFragment | undefined }) {
  return (
    <div role="alert">
      {probe !== undefined && (
        <Banner tone="bad" title={t('probe.unsaved')}>
          <span>{probe.detail}</span>
          <span className="code">{probe.code}</span>
          <span className="small">{t('probe.nevertheless')}</span>
        </Banner>
      )}
    </div>
  );
}
