import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { Button } from '../../ui/Button.tsx';
import { t } from './labels.ts';
import styles from './Search.module.css';

/** Pause in typing before results follow, in milliseconds. */
const PAUSE_MS = 150;
/** Longest query in characters (spec 4.7). */
const MAX = 1_000;

type SearchBoxProps = {
  readonly value: string;
  readonly write: (words: string) => void;
  readonly ask: (words: string) => void;
  readonly leave: () => void;
};

/** Search box. Results follow while it is typed into; Enter or the button also requests the answer. */
export function SearchBox({ value, write, ask, leave }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const [results, setWords] = useState(value);
  const published = useRef(value);
  // A query that comes from elsewhere, such as a recent one, is written into the box.
  useEffect(() => {
    if (value === published.current) return;
    published.current = value;
    setWords(value);
  }, [value]);
  useEffect(() => {
    const next = results.trim();
    if (next === published.current) return undefined;
    const id = setTimeout(() => {
      published.current = next;
      write(next);
    }, PAUSE_MS);
    return () => clearTimeout(id);
  }, [results, write]);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  useCommands([
    {
      id: 'search.box',
      group: 'move',
      keys: '/',
      title: t('search.box'),
      run: () => {
        input.current?.focus();
        input.current?.select();
      },
    },
  ]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = results.trim();
    published.current = next;
    ask(next);
  };
  return (
    <search>
      <form className={styles.finder} onSubmit={submit}>
        <input
          ref={input}
          type="text"
          data-arrival
          aria-label={t('search.title')}
          placeholder={t('search.box.hint')}
          value={results}
          maxLength={MAX}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            leave();
          }}
        />
        <Button type="submit" weight="primary">
          {t('search.verb')}
        </Button>
      </form>
    </search>
  );
}
