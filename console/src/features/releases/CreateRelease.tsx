import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateReleaseDocument } from '../../generated/operations.ts';
import { findDraft } from '../../lib/form-drafts.ts';
import { useAction } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextArea, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { ComponentFields, componentFrom } from './ComponentFields.tsx';
import { t } from './labels.ts';

/** A form that was kept when the session ended: then it opens again by itself. */
export const isReleaseKept = (): boolean => findDraft(t('release.create')) !== undefined;

/** The places of the components of a kept form, or the first alone. */
function placesKept(): readonly number[] {
  const names = [...(findDraft(t('release.create'))?.keys() ?? [])];
  const places = names.flatMap((name) => /^components\.(\d+)\.name$/.exec(name)?.[1] ?? []).map(Number);
  return places.length === 0 ? [0] : places;
}

/** Starts a draft: a name, a version and the images it is made of. More images can be added until it is finalized. */
export function CreateRelease({ close }: { readonly close: () => void }) {
  const verb = useAction(CreateReleaseDocument);
  const navigate = useNavigate();
  const [places, setPlaces] = useState<readonly number[]>(placesKept);
  const add = () => setPlaces([...places, Math.max(...places) + 1]);

  const submit = async (data: FormData) => {
    const notes = String(data.get('notes')).trim();
    const done = await verb.run({
      name: String(data.get('name')).trim(),
      semver: String(data.get('semver')).trim(),
      ...(notes === '' ? {} : { notes }),
      components: places.map((place) => componentFrom(data, `components.${place}.`)),
    });
    if (done !== undefined) void navigate({ to: '/releases/$id', params: { id: done.createRelease.id } });
  };

  return (
    <Dialog title={t('release.create')} close={close} wide>
      <Form problems={verb.problem?.fields} submit={submit}>
        <TextField
          name="name"
          label={t('release.field.name')}
          hint={t('release.field.name.hint')}
          placeholder={t('release.field.name.example')}
          maxLength={64}
          required
          autoFocus
        />
        <TextField
          name="semver"
          label={t('release.field.semver')}
          hint={t('release.field.semver.hint')}
          placeholder="1.0.0"
          maxLength={256}
          required
        />
        {places.map((place) => (
          <ComponentFields key={place} prefix={`components.${place}.`} legend={t('component.nth', { n: place + 1 })} />
        ))}
        <div>
          <Button size="small" onClick={add}>
            {t('component.another')}
          </Button>
        </div>
        <TextArea name="notes" label={t('release.field.notes')} maxLength={20_000} rows={2} />
        <FormFoot act={verb} verb={t('release.create.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
