import type { TypedDocumentNode } from '@apollo/client';
import { type ReactNode, useState } from 'react';
import { type IntegrationRowFragment, IntegrationsDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { t } from './labels.ts';
import { TestButton, TestResult } from './TestResult.tsx';

/** The part of a row that every kind of remote party has. */
type PartyRow = Pick<IntegrationRowFragment, 'id' | 'name' | 'version' | 'disabledAt' | 'lastProbe'>;

type Word = Parameters<typeof t>[0];

type Versioned = { readonly id: string; readonly expectedVersion: number };
type Change = TypedDocumentNode<unknown, { input: Versioned }>;

/** The actions of one kind of remote party. */
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

/** Remote parties of one kind, the last answer of each, and its actions. */
export function ConnectionTable<Row extends PartyRow>({
  label,
  columns,
  rows,
  actions,
}: {
  readonly label: string;
  /** Between the name and the last answer. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Undefined where the user may change nothing. */
  readonly actions: ConnectionActions<Row> | undefined;
}) {
  const all: Column<Row>[] = [
    { name: t('integration.name'), cell: ({ name }) => name },
    ...columns,
    {
      name: t('probe.title'),
      cell: ({ lastProbe, disabledAt }) => <TestResult probe={lastProbe} disabledAt={disabledAt} />,
    },
  ];
  if (actions !== undefined)
    all.push({
      name: t('target.verbs'),
      hidden: true,
      number: true,
      cell: (row) => <RowVerbs row={row} actions={actions} />,
    });
  return <DataTable label={label} columns={all} rows={rows} labelled />;
}

/** Buttons of a row: test, edit, disable or enable, remove. A refused removal names what uses it. */
function RowVerbs<Row extends PartyRow>({
  row,
  actions,
}: {
  readonly row: Row;
  readonly actions: ConnectionActions<Row>;
}) {
  const { id, name, version, disabledAt } = row;
  const test = useAction(actions.test);
  const enable = useAction(actions.enable);
  const [dialog, setDialog] = useState<'edit' | 'disable' | 'remove'>();
  const isDisabled = disabledAt !== null;
  const change = { id, expectedVersion: version };
  const close = () => {
    enable.clear();
    setDialog(undefined);
  };
  return (
    <>
      <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
        {!isDisabled && <TestButton id={id} name={name} verb={test} test={() => void test.run({ id })} />}
        <RowButton label={t('integration.edit', { name })} press={() => setDialog('edit')}>
          {t('integration.edit.open')}
        </RowButton>
        <RowButton
          label={t(isDisabled ? 'integration.enable.name' : 'integration.disable.name', { name })}
          press={() => (isDisabled ? void enable.run(change) : setDialog('disable'))}
        >
          {t(isDisabled ? 'integration.enable' : 'integration.disable')}
        </RowButton>
        <RowButton label={t('component.remove', { name })} press={() => setDialog('remove')}>
          {t('target.remove')}
        </RowButton>
      </span>
      <ActionError problem={enable.problem} />
      {dialog === 'edit' && actions.edit(row, close)}
      {dialog === 'disable' && (
        <ConfirmAction
          document={actions.disable}
          input={change}
          title={t('integration.disable.title', { name })}
          lead={t(actions.leads.disable)}
          verb={t('integration.disable')}
          done={t('integration.disabled.done', { name })}
          refetch={[IntegrationsDocument]}
          close={close}
        />
      )}
      {dialog === 'remove' && (
        <ConfirmAction
          document={actions.remove}
          input={change}
          title={t('integration.remove.title', { name })}
          lead={t(actions.leads.remove)}
          verb={t('integration.remove.verb')}
          done={t('signer.removed', { name })}
          refetch={[IntegrationsDocument]}
          close={close}
        />
      )}
    </>
  );
}
