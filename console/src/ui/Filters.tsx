import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { Chip } from './Button.tsx';
import styles from './Filters.module.css';
import { KeyCaps } from './KeyCaps.tsx';

type FiltersProps = { readonly clear?: (() => void) | undefined; readonly children: ReactNode };

/** Controls that filter a list; their values are search parameters of the URL. Escape clears them all. */
export function Filters({ clear, children }: FiltersProps) {
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <search className={styles.filters} aria-label={t('filter.label')}>
      {children}
    </search>
  );
}

type ChipGroupProps<T extends string> = {
  readonly value: T | undefined;
  readonly options: readonly T[];
  readonly label: (option: T) => string;
  readonly choose: (value: T | undefined) => void;
};

/** Chips of which at most one is pressed; pressing it again takes the filter away. */
export function ChipGroup<T extends string>({ value, options, label, choose }: ChipGroupProps<T>) {
  return options.map((option) => (
    <Chip key={option} pressed={value === option} onPress={() => choose(value === option ? undefined : option)}>
      {label(option)}
    </Chip>
  ));
}

type SelectFilterProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** Label of a value that is no option. */
  readonly unlisted?: string;
  readonly choose: (value: string | undefined) => void;
};

/** Filter by one of many values; absent while there is none to choose. */
export function SelectFilter({ label, value, options, unlisted = value, choose }: SelectFilterProps) {
  if (options.length === 0 && value === undefined) return null;
  const isListed = value === undefined || options.some((option) => option.value === value);
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => choose(event.target.value || undefined)}
    >
      <option value="">{t('filter.any', { label })}</option>
      {/* A value of the URL that is no option any more is still what the list is filtered by. */}
      {!isListed && <option value={value}>{unlisted}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

type EnvironmentFilterProps = {
  /** Names of the environments by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly value: string | undefined;
  readonly choose: (id: string | undefined) => void;
};

export const EnvironmentFilter = ({ names, ...chips }: EnvironmentFilterProps) => (
  <ChipGroup options={[...names.keys()]} label={(id) => names.get(id) ?? id} {...chips} />
);

/** Parts of a page, each under an address of its own. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav className={styles.filters} aria-label={label}>
      {children}
    </nav>
  );
}

/** Pause in typing after which the list follows, in milliseconds. */
const PAUSE_MS = 200;

type TextFilterProps = {
  readonly label: string;
  readonly value: string | undefined;
  /** Called with undefined where the field is empty. */
  readonly find: (value: string | undefined) => void;
};

/** Text filter that applies while it is typed; `/` focuses it. */
export function TextFilter({ label, value = '', find }: TextFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const [results, setWords] = useState(value);
  const requestedValue = useRef(value);
  // A view opened by its URL, or a cleared filter, is written into the field.
  useEffect(() => {
    if (value === requestedValue.current) return;
    requestedValue.current = value;
    setWords(value);
  }, [value]);
  const ask = () => {
    if (results === requestedValue.current) return;
    requestedValue.current = results;
    find(results || undefined);
  };
  useEffect(() => {
    if (results === requestedValue.current) return undefined;
    const id = setTimeout(() => {
      requestedValue.current = results;
      find(results || undefined);
    }, PAUSE_MS);
    return () => clearTimeout(id);
  }, [results, find]);
  useCommands([{ id: 'filter', group: 'move', keys: '/', title: label, run: () => input.current?.focus() }]);
  return (
    <span className={styles.find}>
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={label}
        value={results}
        onChange={(event) => setWords(event.target.value)}
        // Leaving the field applies the filter at once: a later change of the URL would undo a navigation in between.
        onBlur={ask}
        onKeyDown={(event) => event.key === 'Escape' && setWords('')}
      />
      <KeyCaps keys="/" />
    </span>
  );
}
