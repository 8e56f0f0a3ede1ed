import { useState } from 'react';
import {
  DeactivateUserDocument,
  type PersonFactsFragment,
  ReactivateUserDocument,
  ResetUserDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';
import { EditPerson } from './PersonForm.tsx';

export type PersonAction = 'edit' | 'reset' | 'deactivate' | 'reactivate';

type Asked = { readonly person: PersonFactsFragment; readonly close: () => void };

/** What is done to a person, asked about first. */
export function PersonDialog({ name, ...asked }: Asked & { readonly name: PersonAction }) {
  switch (name) {
    case 'edit':
      return <EditPerson {...asked} />;
    case 'reset':
      return <Reset {...asked} />;
    case 'deactivate':
      return <Deactivate {...asked} />;
    case 'reactivate':
      return <Reactivate {...asked} />;
  }
}

/** Ends what the person is signed in by, and gives a link for a new password. */
function Reset({ person: { id, version, displayName }, close }: Asked) {
  const verb = useAction(ResetUserDocument);
  const [told, tell] = useState<{ readonly link: string; readonly expiresAt: string }>();
  const run = async () => {
    const done = await verb.run({ id, expectedVersion: version });
    if (done !== undefined) tell(done.resetUser);
  };
  const title = t('reset.title', { name: displayName });
  if (told === undefined)
    return (
      <ConfirmDialog title={title} lead={t('reset.lead')} verb={t('reset.verb')} act={verb} run={run} close={close} />
    );
  return (
    <Dialog title={title} close={close} wide guarded>
      <OneTimeSecret what="link" text={told.link} expiresAt={told.expiresAt} close={close}>
        <p className="soft">{t('reset.told')}</p>
      </OneTimeSecret>
    </Dialog>
  );
}

function Deactivate({ person: { id, version, displayName: name }, close }: Asked) {
  const verb = useAction(DeactivateUserDocument);
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('deactivate.done', { name }));
    close();
  };
  return (
    <ConfirmDialog
      title={t('deactivate.title', { name })}
      lead={t('deactivate.person')}
      verb={t('deactivate.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}

function Reactivate({ person: { id, version, displayName: name }, close }: Asked) {
  const verb = useAction(ReactivateUserDocument);
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('reactivate.done', { name }));
    close();
  };
  return (
    <ConfirmDialog
      title={t('reactivate.title', { name })}
      lead={t('reactivate.lead')}
      verb={t('reactivate.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}
