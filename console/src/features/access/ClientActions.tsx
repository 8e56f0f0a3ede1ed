import {
  type ClientFactsFragment,
  DeactivateClientDocument,
  RotateClientSecretDocument,
} from '../../generated/operations.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { EditClient } from './ClientForm.tsx';
import { ClientSecret } from './ClientSecret.tsx';
import { t } from './labels.ts';

export type ClientAction = 'edit' | 'rotate' | 'deactivate';

type Props = { readonly client: ClientFactsFragment; readonly close: () => void };

export function ClientDialog({ name: action, ...props }: Props & { readonly name: ClientAction }) {
  const { client, close } = props;
  const { id, version, name, secretCount } = client;
  const input = { id, expectedVersion: version };
  if (action === 'edit') return <EditClient {...props} />;
  // A new secret is valid beside the present one, so that the client changes over without a gap.
  if (action === 'rotate')
    return (
      <ConfirmAction
        document={RotateClientSecretDocument}
        input={input}
        title={t('rotate.title', { name })}
        lead={t(secretCount > 1 ? 'rotate.lead.two' : 'rotate.lead.one')}
        verb={t('rotate.verb')}
        result={({ rotateClientSecret: { secret } }) => <ClientSecret id={id} secret={secret} close={close} />}
        close={close}
      />
    );
  return (
    <ConfirmAction
      document={DeactivateClientDocument}
      input={input}
      title={t('deactivate.title', { name })}
      lead={t('deactivate.client')}
      verb={t('deactivate.verb')}
      done={t('deactivate.done', { name })}
      close={close}
    />
  );
}
