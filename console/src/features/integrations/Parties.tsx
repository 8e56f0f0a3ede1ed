import { type IntegrationRowFragment, TestIntegrationDocument } from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Probe, TestButton } from './Probe.tsx';
import { t } from './words.ts';

/** Registries and metrics servers, and what each answered last. */
export function Parties({
  parties,
  mayTest,
}: {
  readonly parties: readonly IntegrationRowFragment[];
  readonly mayTest: boolean;
}) {
  return <DataTable label={t('integrations.parties')} columns={columns(mayTest)} rows={parties} labelled />;
}

const columns = (mayTest: boolean): Column<IntegrationRowFragment>[] => [
  { name: t('integration.name'), cell: ({ name }) => name },
  { name: t('integration.kind'), cell: ({ kind }) => <span className="soft">{t(`integration.${kind}`)}</span> },
  { name: t('integration.address'), cell: ({ baseUrl }) => <span className="code">{baseUrl}</span> },
  { name: t('probe.title'), cell: ({ lastProbe }) => <Probe probe={lastProbe} /> },
  ...(mayTest
    ? [
        {
          name: t('target.verbs'),
          hidden: true,
          number: true,
          cell: (row: IntegrationRowFragment) => <Test party={row} />,
        },
      ]
    : []),
];

function Test({ party: { id, name } }: { readonly party: IntegrationRowFragment }) {
  const verb = useVerb(TestIntegrationDocument);
  return <TestButton id={id} name={name} verb={verb} test={() => void verb.run({ id })} />;
}
