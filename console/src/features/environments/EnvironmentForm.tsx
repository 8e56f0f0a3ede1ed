import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CreateEnvironmentDocument,
  type EnvironmentPolicyFragment,
  UpdateEnvironmentDocument,
} from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { EnvironmentFields, environmentInput } from './EnvironmentFields.tsx';
import { t } from './labels.ts';

export function CreateEnvironment({ orderIndex, close }: { readonly orderIndex: number; readonly close: () => void }) {
  const navigate = useNavigate();
  const [isAnalysed, analyse] = useState(false);
  return (
    <FormDialog
      document={CreateEnvironmentDocument}
      input={(fields, data) => {
        const { analysis, ...input } = environmentInput(fields, data, isAnalysed);
        return analysis === null ? input : { ...input, analysis };
      }}
      onDone={({ createEnvironment: { id } }) => navigate({ to: '/environments/$id', params: { id } })}
      title={t('environment.create')}
      verb={t('environment.create.verb')}
      wide
      close={close}
    >
      <EnvironmentFields environment={undefined} orderIndex={orderIndex} isAnalysed={isAnalysed} analyse={analyse} />
    </FormDialog>
  );
}

type EditEnvironmentProps = { readonly environment: EnvironmentPolicyFragment; readonly close: () => void };

/** Changes the policy by which releases are promoted to an environment. */
export function EditEnvironment({ environment, close }: EditEnvironmentProps) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [{ id, version }] = useState(environment);
  const [isAnalysed, analyse] = useState(environment.analysis !== null);
  return (
    <FormDialog
      document={UpdateEnvironmentDocument}
      input={(fields, data) => ({ id, expectedVersion: version, ...environmentInput(fields, data, isAnalysed) })}
      done={({ updateEnvironment: { name } }) => t('environment.saved', { name })}
      title={t('environment.edit.title', { name: environment.name })}
      verb={t('save')}
      wide
      close={close}
    >
      <EnvironmentFields
        environment={environment}
        orderIndex={environment.orderIndex}
        isAnalysed={isAnalysed}
        analyse={analyse}
      />
    </FormDialog>
  );
}
