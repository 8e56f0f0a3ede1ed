import { count } from '../lib/i18n.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { Section, type SectionProps } from './Section.tsx';

/** Section whose content is a table, with the number of its rows beside the title. */
export function TableSection<Row extends object>(props: SectionProps & Omit<DataTableProps<Row>, 'label'>) {
  const { title, count: size = count(props.rows.length), side, bare: plain, children, ...table } = props;
  return (
    <Section title={title} count={size} side={side} bare={plain}>
      <DataTable label={title} {...table} />
      {children}
    </Section>
  );
}
