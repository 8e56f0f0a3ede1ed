import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { IntegrationsDocument, SaveSecretDocument } from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction } from '../../lib/graph.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextArea, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Seals a secret under a name; a name that is taken has its value replaced, and the form says so before. */
export function SaveSecret({ taken, close }: { readonly taken: readonly string[]; readonly close: () => void }) {
  const [name, write] = useState('');
  const verb = useAction(SaveSecretDocument);
  const client = useApolloClient();
  const replaces = taken.includes(name.trim());
  const submit = async (data: FormData) => {
    // A value keeps its spaces and line ends: a key may need them.
    const value = String(data.get('value'));
    const done = await verb.run({ name: readFields(data).text('name'), value });
    if (done === undefined) return;
    toast(t('secret.done', { name: done.saveSecret.name }));
    close();
    await client.refetchQueries({ include: [IntegrationsDocument] });
  };
  return (
    <Dialog title={t('secret.create')} close={close}>
      <Form problems={verb.problem?.fields} keeps={false} submit={submit}>
        <p className="soft">{t('secret.lead')}</p>
        <TextField
          name="name"
          label={t('integration.name')}
          hint={t(replaces ? 'secret.replaces' : 'secret.name.hint')}
          value={name}
          maxLength={128}
          autoFocus
          onValue={write}
        />
        <TextArea name="value" label={t('secret.value')} hint={t('sealed')} maxLength={32_768} rows={4} />
        <FormFoot act={verb} verb={t(replaces ? 'secret.replace.verb' : 'secret.create.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
