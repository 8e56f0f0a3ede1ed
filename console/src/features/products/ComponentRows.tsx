import { useRef } from 'react';
import type { DeclaredComponentInput } from '../../generated/operations.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Checkbox, TextField } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { t } from './labels.ts';
import styles from './Products.module.css';

/** Declared component while it is written. */
export interface ComponentRow {
  readonly key: number;
  readonly name: string;
  readonly repository: string;
  readonly required: boolean;
}

type Declared = Omit<ComponentRow, 'key'>;

export const rowsOf = (components: readonly Declared[]): ComponentRow[] =>
  components.map(({ name, repository, required }, key) => ({ key, name, repository, required }));

export const componentsOf = (rows: readonly ComponentRow[]): DeclaredComponentInput[] =>
  rows.map(({ name, repository, required }) => ({ name: name.trim(), repository: repository.trim(), required }));

const emptyRow = (rows: readonly ComponentRow[]): ComponentRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  name: '',
  repository: '',
  required: true,
});

type ComponentRowsProps = {
  /** Undefined: releases choose their components. */
  readonly rows: readonly ComponentRow[] | undefined;
  readonly change: (rows: readonly ComponentRow[] | undefined) => void;
};

/** Components that the releases of a product may have, or none declared. */
export function ComponentRows({ rows, change }: ComponentRowsProps) {
  // Rows come back when the declaration is ticked again.
  const last = useRef<readonly ComponentRow[]>(undefined);
  const declare = (isOn: boolean) => {
    if (!isOn) last.current = rows;
    change(isOn ? (last.current ?? [emptyRow([])]) : undefined);
  };
  const set = (key: number, next: Partial<ComponentRow>) =>
    change((rows ?? []).map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <fieldset className={styles.group}>
      <legend>{t('declared.title')}</legend>
      <Checkbox label={t('declared.only')} checked={rows !== undefined} onValue={declare} />
      {rows?.map((row, index) => (
        <fieldset key={row.key} className={styles.component}>
          <legend className="sr">{row.name || t('declared.nth', { n: index + 1 })}</legend>
          <TextField
            name={`components.${index}.name`}
            label={t('declared.name')}
            value={row.name}
            maxLength={64}
            onValue={(name) => set(row.key, { name })}
          />
          <TextField
            name={`components.${index}.repository`}
            label={t('component.repository')}
            placeholder={t('component.repository.example')}
            value={row.repository}
            maxLength={400}
            onValue={(repository) => set(row.key, { repository })}
          />
          <Checkbox
            label={t('declared.required')}
            checked={row.required}
            onValue={(required) => set(row.key, { required })}
          />
          <IconButton
            label={t('component.remove', { name: row.name })}
            onClick={() => change(rows.filter(({ key }) => key !== row.key))}
          >
            <Icon name="close" />
          </IconButton>
        </fieldset>
      ))}
      {rows && (
        <div>
          <Button size="small" onClick={() => change([...rows, emptyRow(rows)])}>
            <Icon name="plus" size={14} />
            {t('declared.add')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
