import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { Chip } from './Button.tsx';
import styles from './Filters.module.css';
import { KeyCaps } from './KeyCaps.tsx';

/** Controls that filter a list; their values are search parameters of the URL. Escape clears them all. */
export function Filters({
  clear,
  children,
}: {
  readonly clear?: (() => void) | undefined;
  readonly children: ReactNode;
}) {
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <search className={styles.filters} aria-label={t('filter.label')}>
      {children}
    </search>
  );
}

/** Chips of which at most one is pressed; pressing it again takes the filter away. */
export function ChipGroup<T extends string>({
  value,
  options,
  label,
  choose,
}: {
  readonly value: T | undefined;
  readonly options: readonly T[];
  readonly label: (option: T) => string;
  readonly choose: (value: T | undefined) => void;
}) {
  return options.map((option) => (
    <Chip key={option} pressed={value === option} onPress={() => choose(value === option ? undefined : option)}>
      {label(option)}
    </Chip>
  ));
}

/** The parts of a page, each under an address of its own. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav className={styles.filters} aria-label={label}>
      {children}
    </nav>
  );
}

/** Pause in typing after which the list follows, in milliseconds. */
const PAUSE_MS = 200;

/** Text filter that applies while it is typed; `/` focuses it. */
export function TextFilter({
  label,
  value = '',
  find,
}: {
  readonly label: string;
  readonly value: string | undefined;
  /** Called with undefined where the field is empty. */
  readonly find: (value: string | undefined) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState(value);
  const asked = useRef(value);
  // A view opened by its URL, or a cleared filter, is written into the field.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    setWords(value);
  }, [value]);
  const ask = () => {
    if (words === asked.current) return;
    asked.current = words;
    find(words || undefined);
  };
  useEffect(() => {
    if (words === asked.current) return undefined;
    const id = setTimeout(() => {
      asked.current = words;
      find(words || undefined);
    }, PAUSE_MS);
    return () => clearTimeout(id);
  }, [words, find]);
  useCommands([{ id: 'filter', group: 'move', keys: '/', title: label, run: () => input.current?.focus() }]);
  return (
    <span className={styles.find}>
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={label}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        // Whoever leaves the field goes on at once: a list that changed later would take back where they went.
        onBlur={ask}
        onKeyDown={(event) => event.key === 'Escape' && setWords('')}
      />
      <KeyCaps keys="/" />
    </span>
  );
}
