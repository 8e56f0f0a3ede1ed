import { useState } from 'react';
import {
  CreateIntegrationDocument,
  type Forge,
  type IntegrationKind,
  type IntegrationRowFragment,
  TestIntegrationDocument,
  TestIntegrationSettingsDocument,
  UpdateIntegrationDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { Checkbox, SegmentedControl, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { TestedDialog } from './TestedDialog.tsx';

const KINDS = ['REGISTRY', 'METRICS', 'SCM'] as const satisfies readonly IntegrationKind[];
const FORGES = ['GITHUB', 'GITLAB', 'GITEA'] as const satisfies readonly Forge[];

type Close = { readonly close: () => void };

/** Dialog that adds a registry, a metrics server or a forge, tested before it is saved. */
export function CreateIntegration({ close }: Close) {
  const [kind, choose] = useState<IntegrationKind>('REGISTRY');
  const [forge, chooseForge] = useState<Forge>('GITHUB');
  const provider = kind === 'SCM' ? forge : null;
  return (
    <TestedDialog
      title={t('integration.create')}
      button="integration.create.verb"
      done="integration.created"
      trial={{ document: TestIntegrationSettingsDocument, input: (data) => ({ kind, provider, ...settingsOf(data) }) }}
      save={{
        document: CreateIntegrationDocument,
        input: (data) => ({ kind, provider, name: readFields(data).text('name'), ...settingsOf(data) }),
      }}
      test={TestIntegrationDocument}
      close={close}
    >
      <SegmentedControl
        label={t('integration.kind')}
        value={kind}
        options={KINDS.map((value) => ({ value, label: t(`integration.${value}`) }))}
        choose={choose}
      />
      {kind === 'SCM' && (
        <SegmentedControl
          label={t('integration.forge')}
          value={forge}
          options={FORGES.map((value) => ({ value, label: t(`integration.forge.${value}`) }))}
          choose={chooseForge}
        />
      )}
      <Fields kind={kind} />
    </TestedDialog>
  );
}

/** Dialog that changes an integration or its credentials, tested with the new values first. */
export function EditIntegration({ party, close }: Close & { readonly party: IntegrationRowFragment }) {
  const { id, kind, provider, version, hasCredentials } = party;
  const [removes, remove] = useState(false);
  const isDisabled = party.disabledAt !== null;
  return (
    <TestedDialog
      title={t('integration.edit', { name: party.name })}
      button="integration.edit.verb"
      done="integration.saved"
      isDisabled={isDisabled}
      trial={{
        document: TestIntegrationSettingsDocument,
        input: (data) => {
          const settings = settingsOf(data);
          if (isDisabled && settings.password === null) return undefined;
          return { kind, provider, ...(removes ? {} : { id }), ...settings };
        },
      }}
      save={{
        document: UpdateIntegrationDocument,
        input: (data) => ({
          id,
          expectedVersion: version,
          name: readFields(data).text('name'),
          ...settingsOf(data),
          ...(removes ? { removeCredentials: true, username: null, password: null } : {}),
        }),
      }}
      test={TestIntegrationDocument}
      close={close}
    >
      <Fields kind={kind} party={party} />
      {hasCredentials && <Checkbox label={t('integration.credentials.remove')} checked={removes} onValue={remove} />}
    </TestedDialog>
  );
}

function settingsOf(data: FormData) {
  const { text, maybe } = readFields(data);
  return {
    baseUrl: text('baseUrl'),
    // A forge has a token alone, and no such field.
    username: data.has('username') ? maybe('username') : null,
    // A password may begin or end with spaces.
    password: String(data.get('password')) || null,
  };
}

function Fields({ kind, party }: { readonly kind: IntegrationKind; readonly party?: IntegrationRowFragment }) {
  const stored = party?.hasCredentials === true;
  return (
    <>
      <TextField
        {...field('name', 'integration.name')}
        hint={t('release.field.name.hint')}
        defaultValue={party?.name ?? ''}
        maxLength={64}
        autoFocus
      />
      <TextField
        {...field('baseUrl', 'integration.address')}
        hint={t(`integration.${kind}.hint`)}
        placeholder={t(`integration.${kind}.example`)}
        defaultValue={party?.baseUrl ?? ''}
        maxLength={2000}
      />
      {kind !== 'SCM' && (
        <TextField
          {...field('username', 'integration.username')}
          hint={t(stored ? 'integration.username.kept' : 'integration.username.hint')}
          maxLength={256}
        />
      )}
      <TextField
        {...field('password', kind === 'SCM' ? 'integration.token' : 'integration.password')}
        hint={t(stored ? 'integration.password.kept' : `integration.password.${kind}`)}
        type="password"
        maxLength={4096}
      />
    </>
  );
}
