import { type ReactNode, useState } from 'react';
import {
  CreateTargetDocument,
  type TargetDriver,
  type TargetWholeFragment,
  UpdateTargetDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import type { FieldProblem, Problem } from '../../lib/problem.ts';
import { rowsOf, type VariableRow, variablesOf } from '../../lib/variables.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { type FieldName, VariableRows } from '../../ui/VariableRows.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { t } from './labels.ts';
import { DRIVERS, DriverFields, type TargetInput, targetFrom } from './TargetFields.tsx';
import styles from './Targets.module.css';

/** Enrols a target: its driver, what the driver is told, and the agent that serves it. */
export function CreateTarget({
  environment,
  close,
  created,
}: {
  readonly environment: { readonly id: string; readonly name: string };
  readonly close: () => void;
  readonly created: (id: string) => void;
}) {
  const verb = useAction(CreateTargetDocument);
  const [driver, choose] = useState<TargetDriver>('PROCESS');
  const submit = async (input: TargetInput, data: FormData) => {
    const agentId = String(data.get('agentId') ?? '');
    const done = await verb.run({
      environmentId: environment.id,
      driver,
      ...input,
      ...(agentId === '' ? {} : { agentId }),
    });
    if (done === undefined) return;
    toast(t('target.created', { name: input.name, where: environment.name }));
    created(done.createTarget.id);
  };
  return (
    <TargetForm
      title={t('target.create.title', { where: environment.name })}
      verb={t('target.create.verb')}
      driver={driver}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    >
      <div className={styles.pair}>
        <Select
          name="driver"
          label={t('target.driver')}
          hint={t(`driver.${driver}.hint`)}
          options={DRIVERS.map((value) => ({ value, label: t(`driver.${value}`) }))}
          value={driver}
          onValue={(word) => choose(DRIVERS.find((one) => one === word) ?? driver)}
        />
        <AgentChoice driver={driver} none={t('environments.unassigned')} />
      </div>
    </TargetForm>
  );
}

/** Changes what a target is called and what its driver is told. Its driver stays what it is. */
export function EditTarget({ target, close }: { readonly target: TargetWholeFragment; readonly close: () => void }) {
  const verb = useAction(UpdateTargetDocument);
  // The version that was seen when the writing began.
  const [{ id, version }] = useState(target);
  const submit = async (input: TargetInput) => {
    if ((await verb.run({ id, expectedVersion: version, ...input })) === undefined) return;
    toast(t('target.saved', { name: input.name }));
    close();
  };
  return (
    <TargetForm
      title={t('target.edit.title', { name: target.name })}
      verb={t('save')}
      target={target}
      driver={target.driver}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    />
  );
}

function TargetForm({
  title,
  verb,
  target,
  driver,
  busy,
  problem,
  submit,
  close,
  children,
}: {
  readonly title: string;
  readonly verb: string;
  readonly target?: TargetWholeFragment;
  readonly driver: TargetDriver;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly submit: (input: TargetInput, data: FormData) => Promise<void>;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  const [rows, write] = useState<readonly VariableRow[]>(() => rowsOf(own(target)));
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const send = async (data: FormData) => {
    const read = targetFrom(data, variablesOf(rows));
    setWrong(read.wrong);
    if (read.wrong.length === 0) await submit(read.input, data);
  };
  // Values and secrets are two lists of the input: a row is counted among those of its kind.
  const nameOf: FieldName = ({ key, kind }, _at, part) => {
    const among = rows.filter((row) => row.kind === kind).findIndex((row) => row.key === key);
    if (kind === 'value') return `config.env.${among}.${part === 'name' ? 'name' : 'value'}`;
    return `secretRefs.${among}.${part === 'name' ? 'variable' : 'secret'}`;
  };
  return (
    <Dialog title={title} close={close} wide>
      <Form problems={wrong.length > 0 ? wrong : problem?.fields} submit={send}>
        <TextField
          name="name"
          label={t('environments.target')}
          hint={t('release.field.name.hint')}
          defaultValue={target?.name ?? ''}
          maxLength={64}
          required
          autoFocus
        />
        {children}
        <DriverFields key={driver} driver={driver} config={target?.config} />
        <fieldset className={styles.group}>
          <legend>{t('target.variables')}</legend>
          <VariableRows rows={rows} change={write} nameOf={nameOf} />
        </fieldset>
        <FormFoot act={{ busy, problem: wrong.length > 0 ? undefined : problem }} verb={verb} close={close} />
      </Form>
    </Dialog>
  );
}

const own = (target: TargetWholeFragment | undefined) => [
  ...(target?.config.env ?? []).map(({ name, value }) => ({ name, value, secret: null })),
  ...(target?.secretRefs ?? []).map(({ variable, secret }) => ({ name: variable, value: null, secret })),
];
