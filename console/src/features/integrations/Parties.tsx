import { useState } from 'react';
import {
  DisableIntegrationDocument,
  EnableIntegrationDocument,
  type IntegrationRowFragment,
  RemoveIntegrationDocument,
  TestIntegrationDocument,
} from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EditIntegration } from './CreateIntegration.tsx';
import { Probe, TestButton } from './Probe.tsx';
import { ConfirmChange, RowVerbs } from './RowVerbs.tsx';
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
  { name: t('probe.title'), cell: ({ lastProbe, disabledAt }) => <Probe probe={lastProbe} disabledAt={disabledAt} /> },
  ...(mayTest
    ? [
        {
          name: t('target.verbs'),
          hidden: true,
          number: true,
          cell: (row: IntegrationRowFragment) => <Verbs party={row} />,
        },
      ]
    : []),
];

type Asked = 'edit' | 'toggle' | 'remove';

function Verbs({ party }: { readonly party: IntegrationRowFragment }) {
  const { id, name, version, disabledAt } = party;
  const test = useVerb(TestIntegrationDocument);
  const disable = useVerb(DisableIntegrationDocument);
  const enable = useVerb(EnableIntegrationDocument);
  const remove = useVerb(RemoveIntegrationDocument);
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
      {asked === 'edit' && <EditIntegration party={party} close={close} />}
      {asked === 'toggle' && (
        <ConfirmChange
          title={t('integration.disable.title', { name })}
          lead={t('integration.disable.lead')}
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
          lead={t('integration.remove.lead')}
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
