import {
  DisableSecretProviderDocument,
  EnableSecretProviderDocument,
  type ProviderRowFragment,
  RemoveSecretProviderDocument,
  TestSecretProviderDocument,
} from '../../generated/operations.ts';
import { type ConnectionActions, ConnectionTable } from './ConnectionTable.tsx';
import { t } from './labels.ts';
import { EditProvider } from './SecretProviderForm.tsx';

const ACTIONS: ConnectionActions<ProviderRowFragment> = {
  leads: { disable: 'provider.disable.lead', remove: 'provider.remove.lead' },
  test: TestSecretProviderDocument,
  disable: DisableSecretProviderDocument,
  enable: EnableSecretProviderDocument,
  remove: RemoveSecretProviderDocument,
  edit: (provider, close) => <EditProvider provider={provider} close={close} />,
};

type SecretProviderTableProps = { readonly providers: readonly ProviderRowFragment[]; readonly ask: () => void };

/** Secret providers beside the built-in store, and how references name them. */
export function SecretProviderTable({ providers, ask }: SecretProviderTableProps) {
  return (
    <ConnectionTable
      title={t('providers.title')}
      empty={t('providers.empty')}
      create={t('provider.create')}
      ask={ask}
      columns={[
        {
          name: t('provider.reference'),
          cell: ({ name }) => <span className="code">{t('provider.reference.form', { name })}</span>,
        },
        {
          name: t('integration.address'),
          cell: ({ address, mount }) => (
            <span>
              <span className="code">{address}</span> <span className="soft">{t('provider.mount.at', { mount })}</span>
            </span>
          ),
        },
      ]}
      rows={providers}
      actions={ACTIONS}
    />
  );
}
