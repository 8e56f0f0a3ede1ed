import {
  DisableIntegrationDocument,
  EnableIntegrationDocument,
  type IntegrationRowFragment,
  RemoveIntegrationDocument,
  TestIntegrationDocument,
} from '../../generated/operations.ts';
import { type ConnectionActions, ConnectionTable } from './ConnectionTable.tsx';
import { EditIntegration } from './IntegrationForm.tsx';
import { t } from './labels.ts';

const ACTIONS: ConnectionActions<IntegrationRowFragment> = {
  leads: { disable: 'integration.disable.lead', remove: 'integration.remove.lead' },
  test: TestIntegrationDocument,
  disable: DisableIntegrationDocument,
  enable: EnableIntegrationDocument,
  remove: RemoveIntegrationDocument,
  edit: (party, close) => <EditIntegration party={party} close={close} />,
};

type IntegrationTableProps = { readonly parties: readonly IntegrationRowFragment[]; readonly ask: () => void };

/** Table of registries, metrics servers and forges with their last test results. */
export function IntegrationTable({ parties, ask }: IntegrationTableProps) {
  return (
    <ConnectionTable
      title={t('integrations.servers')}
      empty={t('integrations.empty')}
      create={t('integration.create')}
      ask={ask}
      columns={[
        {
          name: t('integration.kind'),
          className: 'soft',
          cell: ({ kind, provider }) => t(provider ? `integration.forge.${provider}` : `integration.${kind}`),
        },
        { name: t('integration.address'), cell: ({ baseUrl }) => <span className="code">{baseUrl}</span> },
      ]}
      rows={parties}
      actions={ACTIONS}
    />
  );
}
