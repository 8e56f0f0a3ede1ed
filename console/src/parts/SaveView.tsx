import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { SaveViewDocument } from '../generated/operations.ts';
import { readFields } from '../lib/form-fields.ts';
import { useAction } from '../lib/graph.ts';
import { t } from '../lib/i18n.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Checkbox, Form, TextField } from '../ui/Form.tsx';
import { FormFoot } from '../ui/FormFoot.tsx';
import { toast } from '../ui/Toast.tsx';

/** Gives the address of the page a name. The same name again replaces what it named. */
export function SaveView({ close }: { readonly close: () => void }) {
  const verb = useAction(SaveViewDocument);
  const client = useApolloClient();
  const [shared, share] = useState(false);
  // The page as it was when the dialog was opened.
  const [path] = useState(() => `${location.pathname}${location.search}`);
  const submit = async (data: FormData) => {
    const done = await verb.run({ name: readFields(data).text('name'), path, shared });
    if (done === undefined) return;
    toast(t('view.saved', { name: done.saveView.name }));
    close();
    await client.refetchQueries({ include: 'active' });
  };
  return (
    <Dialog title={t('view.save')} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <TextField name="name" label={t('view.name')} hint={t('view.name.hint')} maxLength={64} autoFocus />
        <Checkbox label={t('view.shared')} checked={shared} onValue={share} />
        <p className="small quiet code">{path}</p>
        <FormFoot act={verb} verb={t('save')} close={close} />
      </Form>
    </Dialog>
  );
}
