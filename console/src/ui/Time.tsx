import { useMemo, useState } from 'react';
import { t } from '../lib/i18n.ts';
import { useNow } from '../lib/now.ts';
import { useSettings } from '../lib/settings.ts';
import { age, ago, clocks, instant, measured, type Precision, span } from '../lib/time.ts';
import styles from './Time.module.css';
import { copy } from './Toast.tsx';

/** Instant in the user's zone; hover or focus shows UTC and the distance, and a press copies ISO 8601 in UTC. */
export function Time({ at, as = 'minute' }: { readonly at: string; readonly as?: Precision }) {
  const { zone } = useSettings();
  return <Clocks at={at} words={instant(at, zone, as)} />;
}

/** Time relative to now: `12 min` with `age`, `12 min ago` with `relative`. It is updated with the clock. */
export function RelativeTime({ at, as = 'age' }: { readonly at: string; readonly as?: 'age' | 'relative' }) {
  const now = useNow();
  return <Clocks at={at} words={as === 'age' ? age(now.getTime() - new Date(at).getTime()) : ago(at, now)} />;
}

/** Relative time inside a control, so not a button itself. */
export function PlainRelativeTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{ago(at, useNow())}</time>;
}

/** Duration of something finished, or until now. The tip shows its start. */
export function Duration({ from, until }: { readonly from: string; readonly until: string | null | undefined }) {
  const now = useNow();
  const begin = new Date(from).getTime();
  const isOver = until !== null && until !== undefined;
  return (
    <Clocks at={from} words={isOver ? measured(new Date(until).getTime() - begin) : span(now.getTime() - begin)} />
  );
}

function Clocks({ at, words: text }: { readonly at: string; readonly words: string }) {
  const { zone } = useSettings();
  const [now, setRequest] = useState(() => new Date());
  const tip = useMemo(() => clocks(at, zone, now).join('\n'), [at, zone, now]);
  const ask = () => setRequest(new Date());
  return (
    <button
      type="button"
      className={styles.time}
      data-tip={tip}
      aria-description={tip}
      onPointerEnter={ask}
      onFocus={ask}
      onClick={() => copy(new Date(at).toISOString(), t('time.copied'))}
    >
      <time dateTime={at}>{text}</time>
    </button>
  );
}
