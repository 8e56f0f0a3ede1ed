import { t } from './labels.ts';
import styles from './Products.module.css';

type ChoiceFilterProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly choose: (value: string | undefined) => void;
};

/** Filter by one of many values; absent while there is none to choose. */
export function ChoiceFilter({ label, value, options, choose }: ChoiceFilterProps) {
  if (options.length === 0 && value === undefined) return null;
  // A value of the URL that no product has any more is still what the list is filtered by.
  const all = value === undefined || options.includes(value) ? options : [value, ...options];
  return (
    <select
      className={styles.choice}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => choose(event.target.value || undefined)}
    >
      <option value="">{t('products.filter.any', { label })}</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
