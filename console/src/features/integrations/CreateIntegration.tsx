import { useState } from 'react';
import {
  CreateIntegrationDocument,
  type IntegrationKind,
  type IntegrationRowFragment,
  TestIntegrationDocument,
  TryIntegrationDocument,
  UpdateIntegrationDocument,
} from '../../generated/operations.ts';
import { fieldsOf } from '../../lib/fields.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Checkbox, Form, Segments, TextField } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { FailedTest } from './FailedTest.tsx';
import { useTestedSave } from './tested-save.ts';
import { t } from './words.ts';

const KINDS = ['REGISTRY', 'METRICS'] as const satisfies readonly IntegrationKind[];

type Close = { readonly close: () => void };

/** Names a registry or a metrics server; it is asked first, and saved when it answers or when the reader insists. */
export function CreateIntegration({ close }: Close) {
  const [kind, choose] = useState<IntegrationKind>('REGISTRY');
  const verb = useVerb(CreateIntegrationDocument);
  const trial = useVerb(TryIntegrationDocument);
  const probe = useVerb(TestIntegrationDocument);
  const save = useTestedSave(async (input: ReturnType<typeof settingsOf> & { kind: IntegrationKind }) => {
    const done = await trial.run(input);
    return done?.tryIntegration;
  });
  const submit = async (data: FormData) => {
    const settings = settingsOf(data);
    if (!(await save.passes({ kind, ...settings }))) return;
    const done = await verb.run({ kind, name: fieldsOf(data).text('name'), ...settings });
    if (done === undefined) return;
    toast(t('integration.created', { name: done.createIntegration.name }));
    close();
    // What it answers stands in its row.
    await probe.run({ id: done.createIntegration.id });
  };
  return (
    <Dialog title={t('integration.create')} close={close}>
      <Form problems={(verb.problem ?? trial.problem)?.fields} keeps={false} submit={submit}>
        <Segments
          label={t('integration.kind')}
          value={kind}
          options={KINDS.map((value) => ({ value, label: t(`integration.${value}`) }))}
          choose={choose}
        />
        <Fields kind={kind} />
        <FailedTest probe={save.failed} />
        <Refusal problem={verb.problem ?? trial.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" weight="primary" busy={verb.busy || trial.busy}>
            {t(save.failed === undefined ? 'integration.create.verb' : 'save.nevertheless')}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}

/** Corrects an integration, or gives it other credentials; it is asked first, as it will be. */
export function EditIntegration({ party, close }: Close & { readonly party: IntegrationRowFragment }) {
  const { id, kind, version, hasCredentials } = party;
  const [removes, remove] = useState(false);
  const verb = useVerb(UpdateIntegrationDocument);
  const trial = useVerb(TryIntegrationDocument);
  const probe = useVerb(TestIntegrationDocument);
  const save = useTestedSave(async ({ removed, ...input }: ReturnType<typeof settingsOf> & { removed: boolean }) => {
    const done = await trial.run({ kind, ...(removed ? {} : { id }), ...input });
    return done?.tryIntegration;
  });
  const submit = async (data: FormData) => {
    const settings = settingsOf(data);
    if (!(await save.passes({ ...settings, removed: removes }))) return;
    const done = await verb.run({
      id,
      expectedVersion: version,
      name: fieldsOf(data).text('name'),
      ...settings,
      ...(removes ? { removeCredentials: true, username: null, password: null } : {}),
    });
    if (done === undefined) return;
    toast(t('integration.saved', { name: done.updateIntegration.name }));
    close();
    await probe.run({ id });
  };
  return (
    <Dialog title={t('integration.edit', { name: party.name })} close={close}>
      <Form problems={(verb.problem ?? trial.problem)?.fields} keeps={false} submit={submit}>
        <Fields kind={kind} party={party} />
        {hasCredentials && <Checkbox label={t('integration.credentials.remove')} checked={removes} onValue={remove} />}
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
  return {
    baseUrl: text('baseUrl'),
    username: maybe('username'),
    // A password keeps its spaces.
    password: String(data.get('password')) || null,
  };
}

function Fields({ kind, party }: { readonly kind: IntegrationKind; readonly party?: IntegrationRowFragment }) {
  const kept = party?.hasCredentials === true;
  return (
    <>
      <TextField
        name="name"
        label={t('integration.name')}
        hint={t('release.field.name.hint')}
        defaultValue={party?.name ?? ''}
        maxLength={64}
        autoFocus
      />
      <TextField
        name="baseUrl"
        label={t('integration.address')}
        hint={t(`integration.${kind}.hint`)}
        placeholder={t(`integration.${kind}.example`)}
        defaultValue={party?.baseUrl ?? ''}
        maxLength={2000}
      />
      <TextField
        name="username"
        label={t('integration.username')}
        hint={t(kept ? 'integration.username.kept' : 'integration.username.hint')}
        maxLength={256}
      />
      <TextField
        name="password"
        label={t('integration.password')}
        hint={t(kept ? 'integration.password.kept' : `integration.password.${kind}`)}
        type="password"
        maxLength={4096}
      />
    </>
  );
}
