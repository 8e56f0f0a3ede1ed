import type { TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import { type IntegrationRowFragment, IntegrationsDocument } from '../../generated/operations.ts';
import { type Action, useAction } from '../../lib/graph.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { TestButton, TestResult } from './TestResult.tsx';

/** The part of a row that every kind of remote party has. */
type PartyRow = Pick<IntegrationRowFragment, 'id' | 'name' | 'version' | 'disabledAt' | 'lastProbe'>;

/** A key of this page's words. */
type Word = Parameters<typeof t>[0];

type Versioned = { readonly id: string; readonly expectedVersion: number };
type Change = TypedDocumentNode<unknown, { input: Versioned }>;

/** The verbs of one kind of remote party. */
export type ConnectionActions<Row> = {
  /** Consequences that the dialogs name before a party is disabled or removed. */
  readonly leads: { readonly disable: Word; readonly remove: Word };
  readonly test: TypedDocumentNode<unknown, { input: { readonly id: string } }>;
  readonly disable: Change;
  readonly enable: Change;
  readonly remove: Change;
  /** The form that corrects a row. */
  readonly edit: (row: Row, close: () => void) => ReactNode;
};

/** Remote parties of one kind, the last answer of each, and its verbs. */
export function ConnectionTable<Row extends PartyRow>({
  label,
  columns,
  rows,
  verbs,
}: {
  readonly label: string;
  /** Between the name and the last answer. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Undefined where the reader may change nothing. */
  readonly verbs: ConnectionActions<Row> | undefined;
}) {
  const all: Column<Row>[] = [
    { name: t('integration.name'), cell: ({ name }) => name },
    ...columns,
    {
      name: t('probe.title'),
      cell: ({ lastProbe, disabledAt }) => <TestResult probe={lastProbe} disabledAt={disabledAt} />,
    },
  ];
  if (verbs !== undefined)
    all.push({
      name: t('target.verbs'),
      hidden: true,
      number: true,
      cell: (row) => <RowVerbs row={row} verbs={verbs} />,
    });
  return <DataTable label={label} columns={all} rows={rows} labelled />;
}

/** The buttons of a row: test, edit, turn off or on, remove. A refusal to turn off or remove says what uses it. */
function RowVerbs<Row extends PartyRow>({ row, verbs }: { readonly row: Row; readonly verbs: ConnectionActions<Row> }) {
  const { id, name, version, disabledAt } = row;
  const test = useAction(verbs.test);
  const disable = useAction(verbs.disable);
  const enable = useAction(verbs.enable);
  const remove = useAction(verbs.remove);
  const client = useApolloClient();
  const [asked, ask] = useState<'edit' | 'disable' | 'remove'>();
  const isDisabled = disabledAt !== null;
  const change = { id, expectedVersion: version };
  const close = () => {
    for (const verb of [disable, enable, remove]) verb.clear();
    ask(undefined);
  };
  const confirmed = async (verb: Action<unknown, Versioned>, done: string) => {
    if ((await verb.run(change)) === undefined) return;
    toast(done);
    close();
    await client.refetchQueries({ include: [IntegrationsDocument] });
  };
  return (
    <>
      <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
        {!isDisabled && <TestButton id={id} name={name} verb={test} test={() => void test.run({ id })} />}
        <Button size="small" aria-label={t('integration.edit', { name })} onClick={() => ask('edit')}>
          {t('integration.edit.open')}
        </Button>
        <Button
          size="small"
          aria-label={t(isDisabled ? 'integration.enable.name' : 'integration.disable.name', { name })}
          onClick={() => (isDisabled ? void enable.run(change) : ask('disable'))}
        >
          {t(isDisabled ? 'integration.enable' : 'integration.disable')}
        </Button>
        <Button size="small" aria-label={t('component.remove', { name })} onClick={() => ask('remove')}>
          {t('target.remove')}
        </Button>
      </span>
      <ActionError problem={enable.problem} />
      {asked === 'edit' && verbs.edit(row, close)}
      {asked === 'disable' && (
        <ConfirmDialog
          title={t('integration.disable.title', { name })}
          lead={t(verbs.leads.disable)}
          verb={t('integration.disable')}
          act={disable}
          run={() => confirmed(disable, t('integration.disabled.done', { name }))}
          close={close}
        />
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={t('integration.remove.title', { name })}
          lead={t(verbs.leads.remove)}
          verb={t('integration.remove.verb')}
          act={remove}
          run={() => confirmed(remove, t('signer.removed', { name }))}
          close={close}
        />
      )}
    </>
  );
}
