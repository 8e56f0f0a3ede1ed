import {
  CreateSecretProviderDocument,
  type ProviderRowFragment,
  TestSecretProviderDocument,
  TestSecretProviderSettingsDocument,
  UpdateSecretProviderDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { TestedDialog } from './TestedDialog.tsx';

const KIND = 'VAULT_KV' as const;

type Close = { readonly close: () => void };

/** Dialog that adds a Vault for secrets, tested first. Its token is sealed and never shown. */
export function CreateProvider({ close }: Close) {
  return (
    <TestedDialog
      title={t('provider.create')}
      button="provider.create.verb"
      done="provider.created"
      trial={{ document: TestSecretProviderSettingsDocument, input: (data) => ({ kind: KIND, ...settingsOf(data) }) }}
      save={{
        document: CreateSecretProviderDocument,
        input: (data) => {
          const { text } = readFields(data);
          return { kind: KIND, name: text('name'), ...settingsOf(data), token: text('token') };
        },
      }}
      test={TestSecretProviderDocument}
      close={close}
    >
      <p className="soft">{t('provider.lead')}</p>
      <TextField name="name" label={t('integration.name')} hint={t('provider.name.hint')} maxLength={64} autoFocus />
      <Fields />
    </TestedDialog>
  );
}

/** Dialog that corrects a secret provider or replaces its token; references stay as they are. */
export function EditProvider({ provider, close }: Close & { readonly provider: ProviderRowFragment }) {
  const { id, version, name, disabledAt } = provider;
  const isDisabled = disabledAt !== null;
  return (
    <TestedDialog
      title={t('integration.edit', { name })}
      button="integration.edit.verb"
      done="integration.saved"
      isDisabled={isDisabled}
      trial={{
        document: TestSecretProviderSettingsDocument,
        input: (data) => {
          const settings = settingsOf(data);
          return isDisabled && settings.token === null ? undefined : { id, kind: KIND, ...settings };
        },
      }}
      save={{
        document: UpdateSecretProviderDocument,
        input: (data) => ({ id, expectedVersion: version, ...settingsOf(data) }),
      }}
      test={TestSecretProviderDocument}
      close={close}
    >
      <Fields provider={provider} />
    </TestedDialog>
  );
}

function settingsOf(data: FormData) {
  const { text, maybe } = readFields(data);
  return { address: text('address'), mount: maybe('mount'), token: maybe('token') };
}

function Fields({ provider }: { readonly provider?: ProviderRowFragment }) {
  return (
    <>
      <TextField
        {...field('address', 'integration.address')}
        hint={t('integration.REGISTRY.hint')}
        placeholder={t('provider.address.example')}
        defaultValue={provider?.address ?? ''}
        maxLength={2000}
      />
      <TextField {...field('mount', 'provider.mount')} defaultValue={provider?.mount ?? ''} maxLength={128} />
      <TextField
        {...field('token', 'provider.token')}
        hint={t(provider === undefined ? 'sealed' : 'provider.token.kept')}
        type="password"
        maxLength={4096}
      />
    </>
  );
}
