import { useState } from 'react';
import {
  DisableSecretProviderDocument,
  EnableSecretProviderDocument,
  type ProviderRowFragment,
  RemoveSecretProviderDocument,
  TestSecretProviderDocument,
} from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EditProvider } from './CreateProvider.tsx';
import { Probe, TestButton } from './Probe.tsx';
import { ConfirmChange, RowVerbs } from './RowVerbs.tsx';
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
  { name: t('probe.title'), cell: ({ lastProbe, disabledAt }) => <Probe probe={lastProbe} disabledAt={disabledAt} /> },
  ...(mayTest
    ? [
        {
          name: t('target.verbs'),
          hidden: true,
          number: true,
          cell: (row: ProviderRowFragment) => <Verbs provider={row} />,
        },
      ]
    : []),
];

type Asked = 'edit' | 'toggle' | 'remove';

function Verbs({ provider }: { readonly provider: ProviderRowFragment }) {
  const { id, name, version, disabledAt } = provider;
  const test = useVerb(TestSecretProviderDocument);
  const disable = useVerb(DisableSecretProviderDocument);
  const enable = useVerb(EnableSecretProviderDocument);
  const remove = useVerb(RemoveSecretProviderDocument);
  const [asked, ask] = useState<Asked>();
  const isDisabled = disabledAt !== null;
  const close = () => {
    for (const verb of [disable, enable, remove]) verb.clear();
    ask(undefined);
  };
  const change = { id, expectedVersion: version };
  return (
    <>
      <RowVerbs
        name={name}
        isDisabled={isDisabled}
        test={<TestButton id={id} name={name} verb={test} test={() => void test.run({ id })} />}
        edit={() => ask('edit')}
        toggle={() => (isDisabled ? void enable.run(change) : ask('toggle'))}
        remove={() => ask('remove')}
      />
      <Refusal problem={enable.problem} />
      {asked === 'edit' && <EditProvider provider={provider} close={close} />}
      {asked === 'toggle' && (
        <ConfirmChange
          title={t('integration.disable.title', { name })}
          lead={t('provider.disable.lead')}
          verb={disable}
          button={t('integration.disable')}
          done={t('integration.disabled.done', { name })}
          change={change}
          close={close}
        />
      )}
      {asked === 'remove' && (
        <ConfirmChange
          title={t('integration.remove.title', { name })}
          lead={t('provider.remove.lead')}
          verb={remove}
          button={t('integration.remove.verb')}
          done={t('signer.removed', { name })}
          change={change}
          close={close}
        />
      )}
    </>
  );
}
