import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CreateEnvironmentDocument,
  type EnvironmentPolicyFragment,
  UpdateEnvironmentDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import type { FieldProblem, Problem } from '../../lib/problem.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { EnvironmentFields, type EnvironmentInput, environmentFrom } from './EnvironmentFields.tsx';
import { t } from './labels.ts';

/** Adds a step to the promotion path. */
export function CreateEnvironment({ orderIndex, close }: { readonly orderIndex: number; readonly close: () => void }) {
  const verb = useAction(CreateEnvironmentDocument);
  const navigate = useNavigate();
  const submit = async ({ analysis, ...input }: EnvironmentInput) => {
    const done = await verb.run(analysis === null ? input : { ...input, analysis });
    if (done !== undefined) void navigate({ to: '/environments/$id', params: { id: done.createEnvironment.id } });
  };
  return (
    <EnvironmentForm
      title={t('environment.create')}
      verb={t('environment.create.verb')}
      orderIndex={orderIndex}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    />
  );
}

/** Changes by which rules releases come to an environment. */
export function EditEnvironment({
  environment,
  close,
}: {
  readonly environment: EnvironmentPolicyFragment;
  readonly close: () => void;
}) {
  const verb = useAction(UpdateEnvironmentDocument);
  // The version that was seen when the writing began.
  const [{ id, version }] = useState(environment);
  const submit = async (input: EnvironmentInput) => {
    if ((await verb.run({ id, expectedVersion: version, ...input })) === undefined) return;
    toast(t('environment.saved', { name: input.name }));
    close();
  };
  return (
    <EnvironmentForm
      title={t('environment.edit.title', { name: environment.name })}
      verb={t('save')}
      environment={environment}
      orderIndex={environment.orderIndex}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    />
  );
}

function EnvironmentForm({
  title,
  verb,
  environment,
  orderIndex,
  busy,
  problem,
  submit,
  close,
}: {
  readonly title: string;
  readonly verb: string;
  readonly environment?: EnvironmentPolicyFragment;
  readonly orderIndex: number;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly submit: (input: EnvironmentInput) => Promise<void>;
  readonly close: () => void;
}) {
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const [isAnalysed, analyse] = useState(environment?.analysis != null);
  const send = async (data: FormData) => {
    const read = environmentFrom(data, isAnalysed);
    setWrong(read.wrong);
    if (read.wrong.length === 0) await submit(read.input);
  };
  return (
    <Dialog title={title} close={close} wide>
      <Form problems={wrong.length > 0 ? wrong : problem?.fields} submit={send}>
        <EnvironmentFields
          environment={environment}
          orderIndex={orderIndex}
          isAnalysed={isAnalysed}
          analyse={analyse}
        />
        <FormFoot act={{ busy, problem: wrong.length > 0 ? undefined : problem }} verb={verb} close={close} />
      </Form>
    </Dialog>
  );
}
