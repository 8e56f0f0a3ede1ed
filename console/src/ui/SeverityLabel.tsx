import type { SearchSeverity } from '../generated/operations.ts';
import { searchLabel as t } from '../lib/search-labels.ts';
import styles from './StateLabel.module.css';
import type { Tone } from './StateLabel.tsx';

/** Full bars of four, and the tone: the shape alone distinguishes severities. */
const LOOKS: Readonly<Record<SearchSeverity, { readonly bars: number; readonly tone: Tone }>> = {
  CRITICAL: { bars: 4, tone: 'bad' },
  HIGH: { bars: 3, tone: 'bad' },
  MEDIUM: { bars: 2, tone: 'attention' },
  LOW: { bars: 1, tone: 'unknown' },
  NONE: { bars: 0, tone: 'muted' },
};

const BARS = [0, 1, 2, 3] as const;

/** Severity of a finding: bars, word and colour. */
export function SeverityLabel({ severity }: { readonly severity: SearchSeverity }) {
  const { bars, tone } = LOOKS[severity];
  return (
    <span className={`${styles.mark} ${styles[`word-${tone}`] ?? ''}`}>
      <svg className={styles[tone]} width={14} height={14} viewBox="0 0 14 14" aria-hidden="true">
        {BARS.map((bar) => (
          <rect
            key={bar}
            x={0.6 + bar * 3.4}
            y={9.4 - bar * 2.8}
            width={2.4}
            height={4 + bar * 2.8}
            fill={bar < bars ? 'currentColor' : 'none'}
            stroke="currentColor"
            strokeWidth={bar < bars ? 0 : 0.8}
          />
        ))}
      </svg>
      {t(`severity.${severity}`)}
    </span>
  );
}
