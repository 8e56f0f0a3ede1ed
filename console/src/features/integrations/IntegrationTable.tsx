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

const VERBS: ConnectionActions<IntegrationRowFragment> = {
  leads: { disable: 'integration.disable.lead', remove: 'integration.remove.lead' },
  test: TestIntegrationDocument,
  disable: DisableIntegrationDocument,
  enable: EnableIntegrationDocument,
  remove: RemoveIntegrationDocument,
  edit: (party, close) => <EditIntegration party={party} close={close} />,
};

/** Registries and metrics servers, and what each answered last. */
export function IntegrationTable({
  parties,
  mayTest,
}: {
  readonly parties: readonly IntegrationRowFragment[];
  readonly mayTest: boolean;
}) {
  return (
    <ConnectionTable
      label={t('integrations.parties')}
      columns={[
        { name: t('integration.kind'), cell: ({ kind }) => <span className="soft">{t(`integration.${kind}`)}</span> },
        { name: t('integration.address'), cell: ({ baseUrl }) => <span className="code">{baseUrl}</span> },
      ]}
      rows={parties}
      verbs={mayTest ? VERBS : undefined}
    />
  );
}
