import { Button, IconButton } from '../../ui/Button.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { t } from './labels.ts';
import styles from './Notify.module.css';
import { emptyMatcher, type MatcherRow, OPERATORS } from './rule-draft.ts';

type MatcherFieldsProps = {
  /** Name of the list in the input; `matchers` unless given. */
  readonly name?: string;
  readonly rows: readonly MatcherRow[];
  readonly change: (rows: readonly MatcherRow[]) => void;
};

/** Conditions on an event that are being written: all of them must match. */
export function MatcherFields({ name = 'matchers', rows, change }: MatcherFieldsProps) {
  const set = (key: number, next: Partial<MatcherRow>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <div className="stack" style={{ gap: 8 }}>
      {rows.map(({ key, path, op, values }, at) => (
        <fieldset key={key} className={styles.matcher}>
          <legend className="sr">{t('matcher.nth', { n: at + 1 })}</legend>
          <TextField
            name={`${name}.${at}.path`}
            label={t('matcher.path')}
            value={path}
            maxLength={200}
            onValue={(next) => set(key, { path: next })}
          />
          <Select
            name={`${name}.${at}.op`}
            label={t('matcher.op')}
            value={op}
            options={OPERATORS.map((value) => ({ value, label: t(`matcher.op.${value}`) }))}
            onValue={(next) => set(key, { op: OPERATORS.find((one) => one === next) ?? op })}
          />
          <TextField
            name={`${name}.${at}.values`}
            label={t(op === 'IN' || op === 'NIN' ? 'matcher.values' : 'matcher.value')}
            value={values}
            maxLength={2000}
            onValue={(next) => set(key, { values: next })}
          />
          <IconButton
            label={t('matcher.remove', { name: path })}
            onClick={() => change(rows.filter((row) => row.key !== key))}
          >
            <Icon name="close" />
          </IconButton>
        </fieldset>
      ))}
      <p className="row" style={{ flexWrap: 'wrap' }}>
        <Button size="small" onClick={() => change([...rows, emptyMatcher(rows)])}>
          <Icon name="plus" size={14} />
          {t('matcher.add')}
        </Button>
        <span className="small quiet">{t('matcher.hint')}</span>
      </p>
    </div>
  );
}
