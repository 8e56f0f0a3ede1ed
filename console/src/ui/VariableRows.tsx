import { t } from '../lib/i18n.ts';
import { emptyRow, type Variable, type VariableChange, type VariableRow } from '../lib/variables.ts';
import { Button, IconButton } from './Button.tsx';
import { DataTable } from './DataTable.tsx';
import { Select, TextField } from './Form.tsx';
import { Icon } from './Icon.tsx';
import { EmptyState } from './QueryResult.tsx';
import styles from './Variables.module.css';

/** Name of a field in the input, so that a refusal finds it. */
export type FieldName = (row: VariableRow, at: number, part: 'name' | 'words') => string;

type VariableRowsProps = {
  readonly rows: readonly VariableRow[];
  readonly change: (rows: readonly VariableRow[]) => void;
  readonly nameOf: FieldName;
};

/** Variables being written: a name, and a value or the reference of a secret. */
export function VariableRows({ rows, change, nameOf }: VariableRowsProps) {
  const set = (key: number, next: Partial<VariableRow>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <div className={styles.rows}>
      {rows.map((row, index) => (
        <fieldset key={row.key} className={styles.line}>
          <legend className="sr">{row.name || t('variable.nth', { n: index + 1 })}</legend>
          <TextField
            name={nameOf(row, index, 'name')}
            label={t('variable.name')}
            value={row.name}
            maxLength={128}
            onValue={(name) => set(row.key, { name })}
          />
          <Select
            name={`kind.${row.key}`}
            label={t('variable.kind')}
            value={row.kind}
            options={[
              { value: 'value', label: t('variable.value') },
              { value: 'secret', label: t('variable.secret') },
            ]}
            onValue={(kind) => set(row.key, { kind: kind === 'secret' ? 'secret' : 'value' })}
          />
          <TextField
            name={nameOf(row, index, 'words')}
            label={t(row.kind === 'secret' ? 'variable.reference' : 'variable.value')}
            value={row.words}
            onValue={(words) => set(row.key, { words })}
          />
          <IconButton
            label={t('variable.remove', { name: row.name })}
            onClick={() => change(rows.filter(({ key }) => key !== row.key))}
          >
            <Icon name="close" />
          </IconButton>
        </fieldset>
      ))}
      <p className={styles.foot}>
        <Button size="small" onClick={() => change([...rows, emptyRow(rows)])}>
          <Icon name="plus" size={14} />
          {t('variable.add')}
        </Button>
        <span className="small quiet">{t('variable.hint')}</span>
      </p>
    </div>
  );
}

/** Variable's value, or where its secret is to be found. */
export function VariableValue({ variable }: { readonly variable: Variable | undefined }) {
  if (variable === undefined) return <span className="quiet">{t('variable.notSet')}</span>;
  const { value, secret } = variable;
  if (secret !== null)
    return (
      <>
        <span className="quiet">{t('variable.secret')}</span> <span className="code">{secret}</span>
      </>
    );
  return value === '' ? <span className="quiet">{t('variable.empty')}</span> : <span className="code">{value}</span>;
}

/** Changes that saving makes, by name: the old value beside the new one. */
export function VariableChanges({ changes }: { readonly changes: readonly VariableChange[] }) {
  if (changes.length === 0) return <EmptyState>{t('variables.unchanged')}</EmptyState>;
  return (
    <DataTable
      label={t('variables.changes')}
      labelled
      rows={changes}
      rowId={({ name }) => name}
      columns={[
        { name: t('variable.name'), cell: ({ name }) => name },
        { name: t('variable.change'), cell: ({ kind }) => t(`variable.${kind}`) },
        {
          name: t('variable.before'),
          className: 'breaks',
          cell: ({ before }) => <VariableValue variable={before} />,
        },
        { name: t('variable.after'), className: 'breaks', cell: ({ after }) => <VariableValue variable={after} /> },
      ]}
    />
  );
}
