import {
  CreateSecretProviderDocument,
  type ProviderRowFragment,
  TestSecretProviderDocument,
  TrySecretProviderDocument,
  UpdateSecretProviderDocument,
} from '../../generated/operations.ts';
import { fieldsOf } from '../../lib/fields.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { FailedTest } from './FailedTest.tsx';
import { useTestedSave } from './tested-save.ts';
import { t } from './words.ts';

type Close = { readonly close: () => void };

/** Names a Vault that secrets are taken from; it is asked first. Its token is sealed and never shown again. */
export function CreateProvider({ close }: Close) {
  const verb = useVerb(CreateSecretProviderDocument);
  const trial = useVerb(TrySecretProviderDocument);
  const probe = useVerb(TestSecretProviderDocument);
  const save = useTestedSave(async (input: ReturnType<typeof settingsOf>) => {
    const done = await trial.run({ kind: 'VAULT_KV', ...input });
    return done?.trySecretProvider;
  });
  const submit = async (data: FormData) => {
    const { text } = fieldsOf(data);
    const settings = settingsOf(data);
    if (!(await save.passes(settings))) return;
    const done = await verb.run({ kind: 'VAULT_KV', name: text('name'), ...settings, token: text('token') });
    if (done === undefined) return;
    toast(t('provider.created', { name: done.createSecretProvider.name }));
    close();
    // What it answers stands in its row.
    await probe.run({ id: done.createSecretProvider.id });
  };
  return (
    <Dialog title={t('provider.create')} close={close}>
      <Form problems={(verb.problem ?? trial.problem)?.fields} keeps={false} submit={submit}>
        <p className="soft">{t('provider.lead')}</p>
        <TextField name="name" label={t('integration.name')} hint={t('provider.name.hint')} maxLength={64} autoFocus />
        <Fields />
        <FailedTest probe={save.failed} />
        <Refusal problem={verb.problem ?? trial.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" weight="primary" busy={verb.busy || trial.busy}>
            {t(save.failed === undefined ? 'provider.create.verb' : 'save.nevertheless')}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}

/** Corrects a secret provider or gives it another token; references go on naming it as they do. */
export function EditProvider({ provider, close }: Close & { readonly provider: ProviderRowFragment }) {
  const { id, version, name } = provider;
  const verb = useVerb(UpdateSecretProviderDocument);
  const trial = useVerb(TrySecretProviderDocument);
  const probe = useVerb(TestSecretProviderDocument);
  const save = useTestedSave(async (input: ReturnType<typeof settingsOf>) => {
    const done = await trial.run({ id, kind: 'VAULT_KV', ...input });
    return done?.trySecretProvider;
  });
  const submit = async (data: FormData) => {
    const settings = settingsOf(data);
    if (!(await save.passes(settings))) return;
    const done = await verb.run({ id, expectedVersion: version, ...settings });
    if (done === undefined) return;
    toast(t('integration.saved', { name }));
    close();
    await probe.run({ id });
  };
  return (
    <Dialog title={t('integration.edit', { name })} close={close}>
      <Form problems={(verb.problem ?? trial.problem)?.fields} keeps={false} submit={submit}>
        <Fields provider={provider} />
        <FailedTest probe={save.failed} />
        <Refusal problem={verb.problem ?? trial.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" weight="primary" busy={verb.busy || trial.busy}>
            {t(save.failed === undefined ? 'integration.edit.verb' : 'save.nevertheless')}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}

function settingsOf(data: FormData) {
  const { text, maybe } = fieldsOf(data);
  return { address: text('address'), mount: maybe('mount'), token: maybe('token') };
}

function Fields({ provider }: { readonly provider?: ProviderRowFragment }) {
  return (
    <>
      <TextField
        name="address"
        label={t('integration.address')}
        hint={t('integration.REGISTRY.hint')}
        placeholder={t('provider.address.example')}
        defaultValue={provider?.address ?? ''}
        maxLength={2000}
      />
      <TextField
        name="mount"
        label={t('provider.mount')}
        hint={t('provider.mount.hint')}
        defaultValue={provider?.mount ?? ''}
        maxLength={128}
      />
      <TextField
        name="token"
        label={t('provider.token')}
        hint={t(provider === undefined ? 'sealed' : 'provider.token.kept')}
        type="password"
        maxLength={4096}
      />
    </>
  );
}
