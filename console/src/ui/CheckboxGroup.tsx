import { use, useId } from 'react';
import { FieldProblems, fieldMessage } from '../lib/form-drafts.ts';
import styles from './Form.module.css';
import { Checkbox } from './Form.tsx';

type CheckboxGroupProps<T extends string> = {
  readonly name: string;
  readonly legend: string;
  readonly hint?: string | undefined;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly chosen: readonly T[];
  readonly choose: (chosen: readonly T[]) => void;
};

/** Checkboxes for any number of options, with the server's refusal below. */
export function CheckboxGroup<T extends string>(props: CheckboxGroupProps<T>) {
  const { name, legend, hint, options, chosen: selected, choose } = props;
  const id = useId();
  const refused = use(FieldProblems).find(({ field }) => field === name || field.startsWith(`${name}.`));
  const note = refused === undefined ? hint : fieldMessage({ ...refused, field: name });
  return (
    <fieldset className={styles.choices} aria-describedby={note === undefined ? undefined : id}>
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <Checkbox
          key={value}
          label={label}
          checked={selected.includes(value)}
          onValue={(on) => choose(on ? [...selected, value] : selected.filter((one) => one !== value))}
        />
      ))}
      {note !== undefined && (
        <p id={id} className={refused === undefined ? styles.hint : styles.error} style={{ gridColumn: '1 / -1' }}>
          {note}
        </p>
      )}
    </fieldset>
  );
}
