import {
  DeactivateUserDocument,
  type PersonFactsFragment,
  ReactivateUserDocument,
  ResetUserDocument,
} from '../../generated/operations.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';
import { EditPerson } from './PersonForm.tsx';

export type PersonAction = 'edit' | 'reset' | 'deactivate' | 'reactivate';

type Props = { readonly person: PersonFactsFragment; readonly close: () => void };

export function PersonDialog({ name: action, ...props }: Props & { readonly name: PersonAction }) {
  const { person, close } = props;
  const { id, version, displayName: name } = person;
  const input = { id, expectedVersion: version };
  if (action === 'edit') return <EditPerson {...props} />;
  if (action === 'reset')
    return (
      <ConfirmAction
        document={ResetUserDocument}
        input={input}
        title={t('reset.title', { name })}
        lead={t('reset.lead')}
        verb={t('reset.verb')}
        result={({ resetUser: { link, expiresAt } }) => (
          <OneTimeSecret what="link" text={link} expiresAt={expiresAt} close={close}>
            <p className="soft">{t('reset.warning')}</p>
          </OneTimeSecret>
        )}
        close={close}
      />
    );
  if (action === 'deactivate')
    return (
      <ConfirmAction
        document={DeactivateUserDocument}
        input={input}
        title={t('deactivate.title', { name })}
        lead={t('deactivate.person')}
        verb={t('deactivate.verb')}
        done={t('deactivate.done', { name })}
        close={close}
      />
    );
  return (
    <ConfirmAction
      document={ReactivateUserDocument}
      input={input}
      title={t('reactivate.title', { name })}
      lead={t('reactivate.lead')}
      verb={t('reactivate.verb')}
      done={t('reactivate.done', { name })}
      close={close}
    />
  );
}
