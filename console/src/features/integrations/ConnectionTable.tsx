import type { TypedDocumentNode } from '@apollo/client';
import { type ReactNode, useState } from 'react';
import { type IntegrationRowFragment, IntegrationsDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { t } from './labels.ts';
import { TestButton, TestResult } from './TestResult.tsx';

/** Part of a row that every kind of remote party has. */
type PartyRow = Pick<IntegrationRowFragment, 'id' | 'name' | 'version' | 'disabledAt' | 'lastProbe'>;

type Word = Parameters<typeof t>[0];

type Versioned = { readonly id: string; readonly expectedVersion: number };
type Change = TypedDocumentNode<unknown, { input: Versioned }>;

export type ConnectionActions<Row> = {
  /** Consequences that the dialogs name before a party is disabled or removed. */
  readonly leads: { readonly disable: Word; readonly remove: Word };
  readonly test: TypedDocumentNode<unknown, { input: { readonly id: string } }>;
  readonly disable: Change;
  readonly enable: Change;
  readonly remove: Change;
  readonly edit: (row: Row, close: () => void) => ReactNode;
};

type ConnectionTableProps<Row extends PartyRow> = {
  readonly title: string;
  readonly empty: string;
  /** Label of the button that creates a row, and its handler. */
  readonly create: string;
  readonly ask: () => void;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly actions: ConnectionActions<Row>;
};

/** Connections of one kind, the last test result of each, and its actions for administrators. */
export function ConnectionTable<Row extends PartyRow>(props: ConnectionTableProps<Row>) {
  const { create, ask, columns, actions, ...table } = props;
  const all: Column<Row>[] = [
    { name: t('integration.name'), cell: ({ name }) => name },
    ...columns,
    {
      name: t('probe.title'),
      cell: ({ lastProbe, disabledAt }) => <TestResult probe={lastProbe} disabledAt={disabledAt} />,
    },
  ];
  if (hasScope('orch:admin')) all.push(actionsColumn((row) => <RowActions row={row} actions={actions} />));
  return <TableSection side={<AdminButton plus label={create} press={ask} />} columns={all} labelled {...table} />;
}

type RowActionsProps<Row extends PartyRow> = { readonly row: Row; readonly actions: ConnectionActions<Row> };

/** Buttons of a row: test, edit, disable or enable, remove. A refused removal names what uses it. */
function RowActions<Row extends PartyRow>({ row, actions }: RowActionsProps<Row>) {
  const { id, name, version, disabledAt } = row;
  const test = useAction(actions.test);
  const enable = useAction(actions.enable);
  const [editing, edit] = useState(false);
  const isDisabled = disabledAt !== null;
  const change = { id, expectedVersion: version };
  const close = () => {
    enable.clear();
    edit(false);
  };
  return (
    <>
      <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
        {!isDisabled && <TestButton id={id} name={name} verb={test} test={() => void test.run({ id })} />}
        <RowButton label={t('integration.edit', { name })} press={() => edit(true)}>
          {t('integration.edit.open')}
        </RowButton>
        {isDisabled ? (
          <RowButton label={t('integration.enable.name', { name })} press={() => void enable.run(change)}>
            {t('integration.enable')}
          </RowButton>
        ) : (
          <RowAction
            label={t('integration.disable.name', { name })}
            document={actions.disable}
            input={change}
            title={t('integration.disable.title', { name })}
            lead={t(actions.leads.disable)}
            verb={t('integration.disable')}
            done={t('integration.disabled.done', { name })}
            refetch={[IntegrationsDocument]}
          >
            {t('integration.disable')}
          </RowAction>
        )}
        <RowAction
          label={t('component.remove', { name })}
          document={actions.remove}
          input={change}
          title={t('integration.remove.title', { name })}
          lead={t(actions.leads.remove)}
          verb={t('integration.remove.verb')}
          done={t('signer.removed', { name })}
          refetch={[IntegrationsDocument]}
        >
          {t('target.remove')}
        </RowAction>
      </span>
      <ActionError problem={enable.problem} />
      {editing && actions.edit(row, close)}
    </>
  );
}
