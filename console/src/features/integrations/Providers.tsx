import { type ProviderRowFragment, TestSecretProviderDocument } from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Probe, TestButton } from './Probe.tsx';
import { t } from './words.ts';

/** Where secrets come from beside the built-in store, and how references name them. */
export function Providers({
  providers,
  mayTest,
}: {
  readonly providers: readonly ProviderRowFragment[];
  readonly mayTest: boolean;
}) {
  return <DataTable label={t('providers.title')} columns={columns(mayTest)} rows={providers} labelled />;
}

const columns = (mayTest: boolean): Column<ProviderRowFragment>[] => [
  { name: t('integration.name'), cell: ({ name }) => name },
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
  { name: t('probe.title'), cell: ({ lastProbe }) => <Probe probe={lastProbe} /> },
  ...(mayTest
    ? [
        {
          name: t('target.verbs'),
          hidden: true,
          number: true,
          cell: (row: ProviderRowFragment) => <Test provider={row} />,
        },
      ]
    : []),
];

function Test({ provider: { id, name } }: { readonly provider: ProviderRowFragment }) {
  const verb = useVerb(TestSecretProviderDocument);
  return <TestButton id={id} name={name} verb={verb} test={() => void verb.run({ id })} />;
}
