import { exactText } from '../../lib/score.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { labelOr, t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';
import { type WaterfallBar, waterfall } from './waterfall.ts';

const BAR_CELL = styles.barCell ?? '';

type ScoreReplay = Scan['replays'][number];

/** Factors of the newest replay, as bars that lead from 0 to the score. The bars are columns of a table of the numbers. */
export function ScoreSection({ scan }: { readonly scan: Scan }) {
  const [newest] = scan.replays;
  return (
    <Section
      title={t('waterfall.title')}
      side={
        newest !== undefined && (
          <span className="small quiet">
            {t('waterfall.for')} <Time at={newest.freezeTimestamp} />
          </span>
        )
      }
    >
      {newest === undefined ? (
        <EmptyState>{t(scan.score === null ? 'waterfall.notEvaluated' : 'waterfall.none')}</EmptyState>
      ) : (
        <Factors replay={newest} />
      )}
    </Section>
  );
}

function Factors({ replay: { score, factors } }: { readonly replay: ScoreReplay }) {
  if (score === null) return <EmptyState>{t('waterfall.notEvaluated')}</EmptyState>;
  if (factors.length === 0) return <EmptyState>{t('waterfall.clean')}</EmptyState>;
  const { bars, sum, isExact } = waterfall(factors, score);
  return (
    <>
      <DataTable label={t('waterfall.title')} rows={bars} rowId={({ name }) => name} columns={columns()} labelled />
      <p className={styles.sum}>
        <StateLabel look={isExact ? 'verified' : 'mismatch'} wrap>
          {t(isExact ? 'waterfall.sum' : 'waterfall.sum.other', { sum: exactText(sum), score: exactText(score) })}
        </StateLabel>
        <span className="small quiet">{t('waterfall.note')}</span>
      </p>
    </>
  );
}

const columns = (): Column<WaterfallBar>[] => [
  { name: t('waterfall.factor'), cell: ({ name }) => labelOr(`factor.${name}`, name) },
  { name: t('waterfall.bar'), hidden: true, className: BAR_CELL, cell: (bar) => <Bar bar={bar} /> },
  {
    name: t('waterfall.weighted'),
    number: true,
    cell: ({ weighted }) => (
      <b>{weighted > 0 ? t('waterfall.plus', { n: exactText(weighted) }) : exactText(weighted)}</b>
    ),
  },
  { name: t('waterfall.weight'), number: true, cell: ({ weight }) => exactText(weight) },
  { name: t('waterfall.raw'), number: true, cell: ({ raw }) => exactText(raw) },
  {
    name: t('waterfall.source'),
    className: 'breaks',
    cell: ({ source }) => <span className="code soft">{source}</span>,
  },
];

const percent = (part: number): string => `${part * 100}%`;

/** Part of the scale from 0 to 1; the numbers beside it say the same. */
function Bar({ bar: { start, end, weighted } }: { readonly bar: WaterfallBar }) {
  const [low, high] = [Math.min(start, end), Math.max(start, end)];
  const kind = weighted === 0 ? 'zero' : weighted < 0 ? 'minus' : 'plus';
  return (
    <span className={styles.track} aria-hidden="true">
      <span data-kind={kind} style={{ insetInlineStart: percent(low), width: percent(high - low) }} />
    </span>
  );
}
