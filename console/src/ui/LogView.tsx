import { memo, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../lib/i18n.ts';
import { Button } from './Button.tsx';
import styles from './LogView.module.css';

/** Line of a log. `nth` counts from the first line of all, and identifies it. */
export type LogLine = { readonly nth: number; readonly source: string; readonly text: string; readonly at: string };

/** Distance from the end, in pixels, within which the log follows new lines. */
const AT_END = 12;

/** Log that grows and follows its end unless scrolled or paused; not live, so screen readers read it on demand. */
export function LogView({ label, lines }: { readonly label: string; readonly lines: readonly LogLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [pausedLines, setPausedLines] = useState<readonly LogLine[]>();
  const [isScrolledUp, setScrolledUp] = useState(false);
  const visible = pausedLines ?? lines;
  const newest = lines.at(-1)?.nth ?? -1;
  const missed = newest - (pausedLines?.at(-1)?.nth ?? (pausedLines === undefined ? newest : -1));
  const sources = new Set(visible.map(({ source }) => source)).size;

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are why the box moves.
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight;
  }, [visible]);
  const scrolled = () => {
    const { current } = box;
    if (current === null) return;
    follows.current = current.scrollHeight - current.scrollTop - current.clientHeight < AT_END;
    setScrolledUp(!follows.current);
  };
  const toEnd = () => {
    setPausedLines(undefined);
    follows.current = true;
    setScrolledUp(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  return (
    <div>
      <div
        ref={box}
        className={styles.log}
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
        tabIndex={0}
        onScroll={scrolled}
      >
        {(visible[0]?.nth ?? 0) > 0 && (
          <p className={styles.earlier}>{t('log.earlier', { n: visible[0]?.nth ?? 0 })}</p>
        )}
        {visible.map((line) => (
          <Line key={line.nth} line={line} named={sources > 1} />
        ))}
      </div>
      <p className={styles.foot}>
        <Button
          size="small"
          aria-pressed={pausedLines !== undefined}
          onClick={() => setPausedLines(pausedLines === undefined ? lines : undefined)}
        >
          {t(pausedLines === undefined ? 'log.pause' : 'log.resume')}
        </Button>
        {(isScrolledUp || pausedLines !== undefined) && (
          <Button size="small" weight="plain" onClick={toEnd}>
            {t('log.end')}
          </Button>
        )}
        {missed > 0 && <span className="small quiet">{t('log.newLines', { n: missed })}</span>}
      </p>
    </div>
  );
}

const Line = memo(function Line({ line, named }: { readonly line: LogLine; readonly named: boolean }) {
  return (
    <p title={line.at}>
      {named && <span className={styles.source}>{line.source}</span>}
      {line.text}
    </p>
  );
});
