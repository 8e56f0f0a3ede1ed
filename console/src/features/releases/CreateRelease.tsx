import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateReleaseDocument } from '../../generated/operations.ts';
import { findDraft } from '../../lib/form-drafts.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import { ComponentFields, componentFrom } from './ComponentFields.tsx';
import { field, t } from './labels.ts';

/** Whether a draft was saved when the session ended; the dialog then opens by itself. */
export const hasReleaseDraft = (): boolean => findDraft(t('release.create')) !== undefined;

/** Row numbers of the components of a saved draft, or the first alone. */
function savedRows(): readonly number[] {
  const names = [...(findDraft(t('release.create'))?.keys() ?? [])];
  const indexes = names.flatMap((name) => /^components\.(\d+)\.name$/.exec(name)?.[1] ?? []).map(Number);
  return indexes.length === 0 ? [0] : indexes;
}

/** Starts a draft: a name, a version and the images it is made of. More images can be added until it is finalized. */
export function CreateRelease({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [indexes, setRows] = useState<readonly number[]>(savedRows);
  const add = () => setRows([...indexes, Math.max(...indexes) + 1]);
  return (
    <FormDialog
      document={CreateReleaseDocument}
      input={({ text }, data) => ({
        name: text('name'),
        semver: text('semver'),
        ...(text('notes') !== '' && { notes: text('notes') }),
        components: indexes.map((index) => componentFrom(data, `components.${index}.`)),
      })}
      onDone={({ createRelease: { id } }) => navigate({ to: '/releases/$id', params: { id } })}
      title={t('release.create')}
      verb={t('release.create.verb')}
      wide
      close={close}
    >
      <TextField {...field('name', 'release.field.name')} maxLength={64} required autoFocus />
      <TextField {...field('semver', 'release.field.semver')} placeholder="1.0.0" maxLength={256} required />
      {indexes.map((index) => (
        <ComponentFields key={index} prefix={`components.${index}.`} legend={t('component.nth', { n: index + 1 })} />
      ))}
      <div>
        <Button size="small" onClick={add}>
          {t('component.another')}
        </Button>
      </div>
      <TextArea name="notes" label={t('release.field.notes')} maxLength={20_000} rows={2} />
    </FormDialog>
  );
}
