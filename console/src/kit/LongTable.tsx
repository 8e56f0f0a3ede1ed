import { useEffect } from 'react';
import { commandsByKeys } from '../lib/commands.ts';
import { useCursor } from '../lib/cursor.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { VerdictLabel } from '../ui/EntityStates.tsx';
import { PageHead } from '../ui/PageHead.tsx';

type Row = { readonly id: string; readonly name: string };

const ROWS: readonly Row[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: `r${index}`,
  name: `component-${index}`,
}));

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Component',
    cell: ({ name }) => (
      <a href="#long" data-open="">
        {name}
      </a>
    ),
  },
  { name: 'Landing', cell: () => <VerdictLabel verdict="VERIFIED" /> },
  { name: 'Row', number: true, cell: ({ id }) => id },
];

/** Table with more rows than are rendered at once. */
export function LongTable() {
  const cursor = useCursor(ROWS.map(({ id }) => id));
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => commandsByKeys().get(key)?.run();
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <main style={{ padding: 24 }}>
      <PageHead title="Long table" />
      <DataTable label="Components" columns={COLUMNS} rows={ROWS} cursor={cursor} />
    </main>
  );
}
