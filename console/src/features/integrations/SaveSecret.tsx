import { useState } from 'react';
import { IntegrationsDocument, SaveSecretDocument } from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import { t } from './labels.ts';

/** Dialog that seals a secret under a name; it warns before it replaces the value of an existing name. */
export function SaveSecret({ taken: names, close }: { readonly taken: readonly string[]; readonly close: () => void }) {
  const [name, write] = useState('');
  const replaces = names.includes(name.trim());
  return (
    <FormDialog
      document={SaveSecretDocument}
      // A value keeps its spaces and line ends: a key may need them.
      input={({ text, raw }) => ({ name: text('name'), value: raw('value') })}
      keeps={false}
      title={t('secret.create')}
      verb={t(replaces ? 'secret.replace.verb' : 'secret.create.verb')}
      done={({ saveSecret }) => t('secret.done', { name: saveSecret.name })}
      refetch={[IntegrationsDocument]}
      close={close}
    >
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
    </FormDialog>
  );
}
