import { CreateSecretProviderDocument, TestSecretProviderDocument } from '../../generated/operations.ts';
import { fieldsOf } from '../../lib/fields.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

/** Names a Vault that secrets are taken from, and asks it once. Its token is sealed and never shown again. */
export function CreateProvider({ close }: { readonly close: () => void }) {
  const verb = useVerb(CreateSecretProviderDocument);
  const probe = useVerb(TestSecretProviderDocument);
  const submit = async (data: FormData) => {
    const { text, maybe } = fieldsOf(data);
    const done = await verb.run({
      kind: 'VAULT_KV',
      name: text('name'),
      address: text('address'),
      mount: maybe('mount'),
      token: text('token'),
    });
    if (done === undefined) return;
    toast(t('provider.created', { name: done.createSecretProvider.name }));
    close();
    // What it answers stands in its row.
    await probe.run({ id: done.createSecretProvider.id });
  };
  return (
    <Dialog title={t('provider.create')} close={close}>
      <Form problems={verb.problem?.fields} keeps={false} submit={submit}>
        <p className="soft">{t('provider.lead')}</p>
        <TextField name="name" label={t('integration.name')} hint={t('provider.name.hint')} maxLength={64} autoFocus />
        <TextField
          name="address"
          label={t('integration.address')}
          hint={t('integration.REGISTRY.hint')}
          placeholder={t('provider.address.example')}
          maxLength={2000}
        />
        <TextField name="mount" label={t('provider.mount')} hint={t('provider.mount.hint')} maxLength={128} />
        <TextField name="token" label={t('provider.token')} hint={t('sealed')} type="password" maxLength={4096} />
        <Refusal problem={verb.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" weight="primary" busy={verb.busy}>
            {t('provider.create.verb')}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
