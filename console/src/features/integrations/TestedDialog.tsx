import type { TypedDocumentNode } from '@apollo/client';
import { type ReactNode, useState } from 'react';
import type { ConnectionTestFragment } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Saved = { readonly id: string; readonly name: string };

/**
 * Form of a connection that is tested before it is saved, and afterwards, so that its row has a result. After a failed
 * test a second press without a change saves it nevertheless. A disabled connection is tested with new credentials
 * only, and not after it was saved.
 */
export function TestedDialog<Tried extends object, DeploymentOptions extends object>({
  title,
  button,
  done: finished,
  isDisabled = false,
  trial: { document: trialDocument, input: testInput },
  save: { document: saveDocument, input: saveInput },
  test,
  close,
  children,
}: {
  readonly title: string;
  readonly button: 'integration.create.verb' | 'integration.edit.verb' | 'provider.create.verb';
  readonly done: 'integration.created' | 'integration.saved' | 'provider.created';
  readonly isDisabled?: boolean;
  /** Undefined for no test: the connection is disabled, and its saved credentials stay here. */
  readonly trial: Submission<{ readonly probe: ConnectionTestFragment }, Tried | undefined, Tried>;
  readonly save: Submission<{ readonly saved: Saved }, DeploymentOptions, DeploymentOptions>;
  readonly test: TypedDocumentNode<unknown, { input: { readonly id: string } }>;
  readonly close: () => void;
  readonly children: ReactNode;
}) {
  const attemptRun = useAction(trialDocument);
  const save = useAction(saveDocument);
  const { run: ask } = useAction(test);
  const [failed, setFailed] = useState<ConnectionTestFragment>();
  const passes = async (tried: Tried | undefined): Promise<boolean> => {
    // The same settings a second time, after the user has read the test's result.
    if (failed !== undefined || tried === undefined) return true;
    const answer = await attemptRun.run(tried);
    if (answer?.probe.ok === false) setFailed(answer.probe);
    return answer?.probe.ok === true;
  };
  const submit = async (data: FormData) => {
    if (!(await passes(testInput(data)))) return;
    const answer = await save.run(saveInput(data));
    if (answer === undefined) return;
    const { id, name } = answer.saved;
    toast(t(finished, { name }));
    close();
    if (!isDisabled) await ask({ id });
  };
  const problem = save.problem ?? attemptRun.problem;
  return (
    <Dialog title={title} close={close}>
      <Form problems={problem?.fields} keeps={false} submit={submit} change={() => setFailed(undefined)}>
        {children}
        <FailedTest probe={failed} />
        <FormFooter
          state={{ busy: save.busy || attemptRun.busy, problem }}
          verb={t(failed === undefined ? button : 'save.anyway')}
          close={close}
        />
      </Form>
    </Dialog>
  );
}

/** Mutation, and its input as the form has it. */
type Submission<Answer, Filled, Input> = {
  readonly document: TypedDocumentNode<Answer, { input: Input }>;
  readonly input: (data: FormData) => Filled;
};

function FailedTest({ probe }: { readonly probe: ConnectionTestFragment | undefined }) {
  return (
    <div role="alert">
      {probe !== undefined && (
        <Banner tone="bad" title={t('probe.unsaved')}>
          <span>{probe.detail}</span>
          <span className="code">{probe.code}</span>
          <span className="small">{t('probe.saveAnyway')}</span>
        </Banner>
      )}
    </div>
  );
}
