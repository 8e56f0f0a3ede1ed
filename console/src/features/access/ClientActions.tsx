import { useState } from 'react';
import {
  type ClientFactsFragment,
  DeactivateClientDocument,
  RotateClientSecretDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { EditClient } from './ClientForm.tsx';
import { ClientSecret } from './ClientSecret.tsx';
import { t } from './labels.ts';

export type ClientAction = 'edit' | 'rotate' | 'deactivate';

type Asked = { readonly client: ClientFactsFragment; readonly close: () => void };

/** What is done to a client, asked about first. */
export function ClientDialog({ name, ...asked }: Asked & { readonly name: ClientAction }) {
  switch (name) {
    case 'edit':
      return <EditClient {...asked} />;
    case 'rotate':
      return <Rotate {...asked} />;
    case 'deactivate':
      return <Deactivate {...asked} />;
  }
}

/** Adds a secret beside the present one, so that the program changes over without a gap. */
function Rotate({ client: { id, version, name, secretCount }, close }: Asked) {
  const verb = useAction(RotateClientSecretDocument);
  const [secret, tell] = useState<string | null>();
  const run = async () => {
    const done = await verb.run({ id, expectedVersion: version });
    if (done !== undefined) tell(done.rotateClientSecret.secret);
  };
  const title = t('rotate.title', { name });
  if (secret === undefined)
    return (
      <ConfirmDialog
        title={title}
        lead={t(secretCount > 1 ? 'rotate.lead.two' : 'rotate.lead.one')}
        verb={t('rotate.verb')}
        act={verb}
        run={run}
        close={close}
      />
    );
  return (
    <Dialog title={title} close={close} wide guarded>
      <ClientSecret id={id} secret={secret} close={close} />
    </Dialog>
  );
}

function Deactivate({ client: { id, version, name }, close }: Asked) {
  const verb = useAction(DeactivateClientDocument);
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('deactivate.done', { name }));
    close();
  };
  return (
    <ConfirmDialog
      title={t('deactivate.title', { name })}
      lead={t('deactivate.client')}
      verb={t('deactivate.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}
