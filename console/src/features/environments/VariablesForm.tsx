import { useState } from 'react';
import { type EnvironmentVariablesFragment, SaveVariableSetDocument } from '../../generated/operations.ts';
import { changedVariables, rowsOf, type VariableRow, variablesOf } from '../../lib/variables.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { type FieldName, VariableChanges, VariableRows } from '../../ui/VariableRows.tsx';
import { t } from './labels.ts';

const nameOf: FieldName = ({ kind }, at, part) => `variables.${at}.${part === 'name' ? 'name' : kind}`;

type VariablesFormProps = { readonly environment: EnvironmentVariablesFragment; readonly close: () => void };

/** Dialog that saves the next version of an environment's variables, with the changes listed below. */
export function VariablesForm({ environment: { id, variableSets }, close }: VariablesFormProps) {
  // The version that the form was opened with: another one saved meanwhile is a conflict, and not overwritten.
  const [newest] = useState(variableSets[0]);
  const [rows, write] = useState<readonly VariableRow[]>(() => rowsOf(newest?.variables ?? []));
  const changes = changedVariables(newest?.variables ?? [], variablesOf(rows));
  const version = newest?.version ?? 0;
  return (
    <FormDialog
      document={SaveVariableSetDocument}
      input={() => ({
        environmentId: id,
        expectedVersion: version,
        variables: variablesOf(rows).map(({ name, value, secret }) => ({
          name,
          ...(secret === null ? { value } : { secret }),
        })),
      })}
      done={({ saveVariableSet }) => t('variables.done', { n: saveVariableSet.version })}
      title={t('variables.edit.title')}
      verb={t('variables.save', { n: version + 1 })}
      off={changes.length === 0}
      wide
      close={close}
    >
      <p className="soft">{t('variables.lead')}</p>
      <VariableRows rows={rows} change={write} nameOf={nameOf} />
      <VariableChanges changes={changes} />
    </FormDialog>
  );
}
