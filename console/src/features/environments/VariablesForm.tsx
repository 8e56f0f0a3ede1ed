import { useState } from 'react';
import { type EnvironmentVariablesFragment, SaveVariableSetDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { changedVariables, rowsOf, type VariableRow, variablesOf } from '../../lib/variables.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { type FieldName, VariableChanges, VariableRows } from '../../ui/VariableRows.tsx';
import { t } from './labels.ts';

const nameOf: FieldName = ({ kind }, at, part) => `variables.${at}.${part === 'name' ? 'name' : kind}`;

/** Writes the next version of an environment's variables; what it changes stands under it before it is saved. */
export function VariablesForm({
  environment: { id, variableSets },
  close,
}: {
  readonly environment: EnvironmentVariablesFragment;
  readonly close: () => void;
}) {
  // The version that was seen when the writing began: another one saved meanwhile is a conflict, and not undone.
  const [newest] = useState(variableSets[0]);
  const [rows, write] = useState<readonly VariableRow[]>(() => rowsOf(newest?.variables ?? []));
  const verb = useAction(SaveVariableSetDocument);
  const changes = changedVariables(newest?.variables ?? [], variablesOf(rows));
  const version = newest?.version ?? 0;
  const save = async () => {
    if (changes.length === 0) return;
    const variables = variablesOf(rows).map(({ name, value, secret }) => ({
      name,
      ...(secret === null ? { value } : { secret }),
    }));
    const done = await verb.run({ environmentId: id, expectedVersion: version, variables });
    if (done === undefined) return;
    toast(t('variables.done', { n: done.saveVariableSet.version }));
    close();
  };
  return (
    <Dialog title={t('variables.edit.title')} close={close} wide>
      <Form problems={verb.problem?.fields} submit={save}>
        <p className="soft">{t('variables.lead')}</p>
        <VariableRows rows={rows} change={write} nameOf={nameOf} />
        <VariableChanges changes={changes} />
        <FormFoot act={verb} verb={t('variables.save', { n: version + 1 })} off={changes.length === 0} close={close} />
      </Form>
    </Dialog>
  );
}
