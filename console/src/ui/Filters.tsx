import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import styles from './Filters.module.css';
import { KeyCaps } from './KeyCaps.tsx';

/** What narrows a list. Everything in it lives in the URL. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label={t('filter.label')}>
      {children}
    </search>
  );
}

/** The parts of a page, each under an address of its own. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav className={styles.filters} aria-label={label}>
      {children}
    </nav>
  );
}

/** How long the writer is left alone before the list follows, in milliseconds. */
const PAUSE_MS = 200;

/** Finds by words as they are written; `/` goes there. */
export function TextFilter({
  label,
  value,
  find,
}: {
  readonly label: string;
  readonly value: string;
  readonly find: (value: string) => void;
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
    find(words);
  };
  useEffect(() => {
    if (words === asked.current) return undefined;
    const id = setTimeout(() => {
      asked.current = words;
      find(words);
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
