import { useState } from 'react';
import {
  DeactivateUserDocument,
  type PersonFactsFragment,
  ReactivateUserDocument,
  ResetUserDocument,
} from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { EditPerson } from './PersonForm.tsx';
import { Shown } from './Shown.tsx';
import { t } from './words.ts';

export type PersonVerbName = 'edit' | 'reset' | 'deactivate' | 'reactivate';

type Asked = { readonly person: PersonFactsFragment; readonly close: () => void };

/** What is done to a person, asked about first. */
export function PersonVerb({ name, ...asked }: Asked & { readonly name: PersonVerbName }) {
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
  const verb = useVerb(ResetUserDocument);
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
      <Shown what="link" text={told.link} expiresAt={told.expiresAt} close={close}>
        <p className="soft">{t('reset.told')}</p>
      </Shown>
    </Dialog>
  );
}

function Deactivate({ person: { id, version, displayName: name }, close }: Asked) {
  const verb = useVerb(DeactivateUserDocument);
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
  const verb = useVerb(ReactivateUserDocument);
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
