import { useState } from 'react';
import {
  CreateIntegrationDocument,
  type IntegrationKind,
  TestIntegrationDocument,
} from '../../generated/operations.ts';
import { fieldsOf } from '../../lib/fields.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Form, Segments, TextField } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

const KINDS = ['REGISTRY', 'METRICS'] as const satisfies readonly IntegrationKind[];

/** Names a registry or a metrics server, and asks it once. */
export function CreateIntegration({ close }: { readonly close: () => void }) {
  const [kind, choose] = useState<IntegrationKind>('REGISTRY');
  const verb = useVerb(CreateIntegrationDocument);
  const probe = useVerb(TestIntegrationDocument);
  const submit = async (data: FormData) => {
    const { text, maybe } = fieldsOf(data);
    const done = await verb.run({
      kind,
      name: text('name'),
      baseUrl: text('baseUrl'),
      username: maybe('username'),
      password: String(data.get('password')) || null,
    });
    if (done === undefined) return;
    toast(t('integration.created', { name: done.createIntegration.name }));
    close();
    // What it answers stands in its row.
    await probe.run({ id: done.createIntegration.id });
  };
  return (
    <Dialog title={t('integration.create')} close={close}>
      <Form problems={verb.problem?.fields} keeps={false} submit={submit}>
        <Segments
          label={t('integration.kind')}
          value={kind}
          options={KINDS.map((value) => ({ value, label: t(`integration.${value}`) }))}
          choose={choose}
        />
        <TextField
          name="name"
          label={t('integration.name')}
          hint={t('release.field.name.hint')}
          maxLength={64}
          autoFocus
        />
        <TextField
          name="baseUrl"
          label={t('integration.address')}
          hint={t(`integration.${kind}.hint`)}
          placeholder={t(`integration.${kind}.example`)}
          maxLength={2000}
        />
        <TextField
          name="username"
          label={t('integration.username')}
          hint={t('integration.username.hint')}
          maxLength={256}
        />
        <TextField
          name="password"
          label={t('integration.password')}
          hint={t(`integration.password.${kind}`)}
          type="password"
          maxLength={4096}
        />
        <Refusal problem={verb.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" weight="primary" busy={verb.busy}>
            {t('integration.create.verb')}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
