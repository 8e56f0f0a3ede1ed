import { useState } from 'react';
import {
  CreateTargetDocument,
  type TargetDetailFragment,
  type TargetDriver,
  UpdateTargetDocument,
} from '../../generated/operations.ts';
import { rowsOf, type VariableRow, variablesOf } from '../../lib/variables.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { type FieldName, VariableRows } from '../../ui/VariableRows.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';
import { DRIVERS, DriverFields, targetInput } from './TargetFields.tsx';
import { byField, ProductFields, productInput } from './TargetProduct.tsx';

type CreateTargetProps = {
  readonly environment: { readonly id: string; readonly name: string };
  readonly close: () => void;
  readonly created: (id: string) => void;
};

/** Adds a target: its driver, the driver's settings, and the agent that serves it. */
export function CreateTarget({ environment, close, created }: CreateTargetProps) {
  const [driver, choose] = useState<TargetDriver>('PROCESS');
  const [rows, write] = useState<readonly VariableRow[]>([]);
  return (
    <FormDialog
      document={CreateTargetDocument}
      input={(fields) => ({
        environmentId: environment.id,
        driver,
        ...targetInput(fields, variablesOf(rows)),
        ...productInput(fields),
        ...(fields.text('agentId') !== '' && { agentId: fields.text('agentId') }),
      })}
      problems={byField}
      done={({ createTarget: { name } }) => t('target.created', { name, where: environment.name })}
      onDone={({ createTarget: { id } }) => created(id)}
      title={t('target.create.title', { where: environment.name })}
      verb={t('target.create.verb')}
      wide
      close={close}
    >
      <NameField />
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
      <ProductFields product={null} labels={[]} />
      <DriverFields key={driver} driver={driver} config={undefined} />
      <TargetVariables rows={rows} change={write} />
    </FormDialog>
  );
}

/** Changes the name and the settings of a target. Its driver stays. */
export function EditTarget({ target, close }: { readonly target: TargetDetailFragment; readonly close: () => void }) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [{ id, version, driver, config, product, labels }] = useState(target);
  const [rows, write] = useState<readonly VariableRow[]>(() => rowsOf(targetVariables(target)));
  return (
    <FormDialog
      document={UpdateTargetDocument}
      input={(fields) => ({
        id,
        expectedVersion: version,
        ...targetInput(fields, variablesOf(rows)),
        ...productInput(fields, product?.id),
      })}
      problems={byField}
      done={({ updateTarget: { name } }) => t('target.saved', { name })}
      title={t('target.edit.title', { name: target.name })}
      verb={t('save')}
      wide
      close={close}
    >
      <NameField name={target.name} />
      <ProductFields product={product} labels={labels} />
      <DriverFields driver={driver} config={config} />
      <TargetVariables rows={rows} change={write} />
    </FormDialog>
  );
}

const NameField = ({ name = '' }: { readonly name?: string }) => (
  <TextField
    name="name"
    label={t('environments.target')}
    hint={t('release.field.name.hint')}
    defaultValue={name}
    maxLength={64}
    required
    autoFocus
  />
);

type TargetVariablesProps = {
  readonly rows: readonly VariableRow[];
  readonly change: (rows: readonly VariableRow[]) => void;
};

function TargetVariables({ rows, change }: TargetVariablesProps) {
  // Values and secrets are two lists of the input: a row is counted among those of its kind.
  const nameOf: FieldName = ({ key, kind }, _at, part) => {
    const among = rows.filter((row) => row.kind === kind).findIndex((row) => row.key === key);
    if (kind === 'value') return `config.env.${among}.${part === 'name' ? 'name' : 'value'}`;
    return `secretRefs.${among}.${part === 'name' ? 'variable' : 'secret'}`;
  };
  return (
    <fieldset className={styles.group}>
      <legend>{t('target.variables')}</legend>
      <VariableRows rows={rows} change={change} nameOf={nameOf} />
    </fieldset>
  );
}

export const targetVariables = ({ config, secretRefs }: Pick<TargetDetailFragment, 'config' | 'secretRefs'>) => [
  ...config.env.map(({ name, value }) => ({ name, value, secret: null })),
  ...secretRefs.map(({ variable, secret }) => ({ name: variable, value: null, secret })),
];
