import type { Card } from '../../lib/search.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { labelOr, t } from './labels.ts';
import { lanesOf } from './lanes.ts';
import styles from './Search.module.css';

type ScoreExplanationProps = { readonly card: Card; readonly opened: () => void };

export function ScoreExplanation({ card: { why: reason, chunkIds, pieces = [] }, opened }: ScoreExplanationProps) {
  if (reason.length === 0 && chunkIds.length === 0) return null;
  return (
    <details onToggle={(event) => event.currentTarget.open && opened()}>
      <summary>{t('search.why')}</summary>
      <div className={styles.why}>
        {reason.length > 0 && (
          <DataTable
            label={t('search.why')}
            labelled
            rows={lanesOf(reason)}
            rowId={({ lane }) => lane}
            columns={[
              { name: t('search.why.lane'), cell: ({ lane }) => laneName(lane) },
              { name: t('search.why.rank'), number: true, cell: ({ rank }) => rank },
              { name: t('search.why.score'), number: true, cell: ({ contribution }) => contribution.toFixed(4) },
            ]}
          />
        )}
        {pieces.map(({ chunkId, title, text }) => (
          <figure key={chunkId} className={styles.piece}>
            <figcaption>
              {title} <span className="code">{chunkId}</span>
            </figcaption>
            <blockquote>{text}</blockquote>
          </figure>
        ))}
        {pieces.length === 0 && (
          <p className={styles.chunks}>
            {t('search.why.chunks', { n: chunkIds.length })} <span className="code">{chunkIds.join(', ')}</span>
          </p>
        )}
      </div>
    </details>
  );
}

/** Lane and source of a score: `fts:vex` is full text in VEX statements. */
function laneName(lane: string): string {
  const [kind = '', domain] = lane.split(':');
  if (kind === 'fts' && domain !== undefined)
    return t('search.lane.fts', { domain: labelOr(`search.domain.${domain.toUpperCase()}`, domain) });
  return labelOr(`search.lane.${kind}`, lane);
}
