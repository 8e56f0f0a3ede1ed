import { useState } from 'react';
import { SaveViewDocument } from '../generated/operations.ts';
import { t } from '../lib/i18n.ts';
import { Checkbox, TextField } from '../ui/Form.tsx';
import { FormDialog } from './dialogs.tsx';

/** Saves the address of the page under a name. The same name again replaces the address. */
export function SaveView({ close }: { readonly close: () => void }) {
  const [shared, share] = useState(false);
  // The page as it was when the dialog was opened.
  const [path] = useState(() => `${location.pathname}${location.search}`);
  return (
    <FormDialog
      document={SaveViewDocument}
      input={({ text }) => ({ name: text('name'), path, shared })}
      title={t('view.save')}
      verb={t('save')}
      done={({ saveView }) => t('view.saved', { name: saveView.name })}
      refetch="active"
      close={close}
    >
      <TextField name="name" label={t('view.name')} hint={t('view.name.hint')} maxLength={64} autoFocus />
      <Checkbox label={t('view.shared')} checked={shared} onValue={share} />
      <p className="small quiet code">{path}</p>
    </FormDialog>
  );
}
