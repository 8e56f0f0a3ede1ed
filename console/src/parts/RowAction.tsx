import { type ReactNode, useState } from 'react';
import { t } from '../lib/i18n.ts';
import { RowButton } from '../ui/Button.tsx';
import type { Column } from '../ui/DataTable.tsx';
import { ConfirmAction, type ConfirmActionProps } from './dialogs.tsx';

type RowActionProps<T, I extends object> = Omit<ConfirmActionProps<T, I>, 'close' | 'children' | 'result'> & {
  /** Accessible name of the button, which names the row too. */
  readonly label: string;
  readonly children: string;
  /** Result that is shown once in place of closing the dialog, and closes it itself. */
  readonly shown?: (result: T, close: () => void) => ReactNode;
};

/** Button in a row of a table with its confirming dialog. The dialog keeps the row as it was when it opened. */
export function RowAction<T, I extends object>({ label, children, shown: visible, ...action }: RowActionProps<T, I>) {
  const [confirming, ask] = useState<typeof action>();
  const close = () => ask(undefined);
  return (
    <>
      <RowButton label={label} press={() => ask(action)}>
        {children}
      </RowButton>
      {confirming !== undefined && (
        <ConfirmAction
          {...confirming}
          {...(visible && { result: (answer: T) => visible(answer, close) })}
          close={close}
        />
      )}
    </>
  );
}

/** Column of the actions of a row. Its head is for screen readers only. */
export const actionsColumn = <Row,>(cell: (row: Row) => ReactNode): Column<Row> => ({
  name: t('target.actions'),
  hidden: true,
  number: true,
  cell,
});
