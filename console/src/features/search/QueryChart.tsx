import type { SearchQualityQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { barsOf } from './query-chart.ts';
import styles from './Search.module.css';

type Point = SearchQualityQuery['searchQuality']['series'][number];

const WIDTH = 720;
const HEIGHT = 96;

/** Chart of queries over time, those without results, and clicks; the table below is the accessible equivalent. */
export function QueryChart({ points, byHour }: { readonly points: readonly Point[]; readonly byHour: boolean }) {
  const { bars, line } = barsOf(points, WIDTH, HEIGHT);
  return (
    <>
      <svg className={styles.chart} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {bars.map(({ x, width, height, zero }) => (
          <g key={x}>
            <rect className={styles.asked} x={x} width={width} y={HEIGHT - height} height={height} />
            <rect className={styles.zero} x={x} width={width} y={HEIGHT - zero} height={zero} />
          </g>
        ))}
        <path className={styles.clicked} d={line} />
      </svg>
      <p className={styles.legend} aria-hidden="true">
        <Key shape={styles.asked}>{t('series.queries')}</Key>
        <Key shape={styles.zero}>{t('series.zero')}</Key>
        <Key shape={styles.clicked}>{t('series.clicks')}</Key>
      </p>
      <details>
        <summary>{t(byHour ? 'series.table.hours' : 'series.table.days')}</summary>
        <DataTable
          label={t('quality.series')}
          labelled
          rows={points}
          rowId={({ at }) => at}
          columns={[
            { name: t('series.at'), cell: ({ at }) => <Time at={at} /> },
            { name: t('series.queries'), number: true, cell: ({ queryCount }) => count(queryCount) },
            { name: t('series.zero'), number: true, cell: ({ zeroResultCount }) => count(zeroResultCount) },
            { name: t('series.clicks'), number: true, cell: ({ clickCount }) => count(clickCount) },
          ]}
        />
      </details>
    </>
  );
}

function Key({ shape, children }: { readonly shape: string | undefined; readonly children: string }) {
  return (
    <span>
      <svg width={14} height={10} viewBox="0 0 14 10" aria-hidden="true">
        {shape === styles.clicked ? (
          <path className={shape} d="M0 7L5 3 9 6l5-4" />
        ) : (
          <rect className={shape} x={2} y={1} width={10} height={8} />
        )}
      </svg>
      {children}
    </span>
  );
}
