import { getRouteApi } from '@tanstack/react-router';
import { type SearchAlertStatus, SearchQualityDocument, type SearchQualityQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { SegmentedControl } from '../../ui/Form.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { Alerts } from './Alerts.tsx';
import { ImportHistory } from './ImportHistory.tsx';
import { IndexSection } from './IndexSection.tsx';
import { t } from './labels.ts';
import { QueryChart } from './QueryChart.tsx';

const route = getRouteApi('/search/quality');

export const PERIODS = ['24h', '7d', '30d'] as const;

export function QualityPage() {
  return (
    <>
      <PageHead crumbs={[{ path: '/search', label: t('search.title') }]} title={t('quality.title')}>
        {t('quality.lead')}
      </PageHead>
      {hasScope('advisory-ai:admin') ? (
        <Administered />
      ) : (
        <ForbiddenAction name={t('quality.title')} scope="advisory-ai:admin" permission={SCOPE_DENIED} />
      )}
    </>
  );
}

function Administered() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const close = () => set({ ask: undefined });
  useCommands([
    { id: 'search.import', keys: 'i', title: t('imports.verb'), run: () => set({ ask: 'import' }) },
    { id: 'search.rebuild', keys: 'b', title: t('rebuild.verb'), run: () => set({ ask: 'rebuild' }) },
  ]);
  return (
    <>
      <MeasuredQuality period={view.period ?? '7d'} choose={(period) => set({ period })} />
      <Alerts status={view.alerts ?? 'OPEN'} choose={(alerts: SearchAlertStatus | 'ALL') => set({ alerts })} />
      <IndexSection ask={view.ask === 'rebuild'} open={() => set({ ask: 'rebuild' })} close={close} />
      <ImportHistory ask={view.ask === 'import'} open={() => set({ ask: 'import' })} close={close} />
    </>
  );
}

type MeasuredQualityProps = {
  readonly period: (typeof PERIODS)[number];
  readonly choose: (period: (typeof PERIODS)[number]) => void;
};

function MeasuredQuality({ period, choose }: MeasuredQualityProps) {
  const quality = useLiveQuery(SearchQualityDocument, { period });
  return (
    <>
      <div style={{ maxWidth: 320, marginBottom: 16 }}>
        <SegmentedControl
          label={t('quality.period')}
          value={period}
          options={PERIODS.map((value) => ({ value, label: t(`quality.period.${value}`) }))}
          choose={choose}
        />
      </div>
      <QueryResult of={quality} skeleton={<SkeletonPage rows={4} />} fault={t('quality.fault')}>
        {({ searchQuality }) => <Metrics quality={searchQuality} />}
      </QueryResult>
    </>
  );
}

type Quality = SearchQualityQuery['searchQuality'];

/** Formatter of a rate in per cent; a note where there were no queries. */
const percentOf =
  ({ queryCount }: Quality) =>
  (rate: number): string =>
    queryCount === 0 ? t('quality.none') : `${Math.round(rate * 1_000) / 10} %`;

function Metrics({ quality }: { readonly quality: Quality }) {
  const { queryCount, helpfulCount, notHelpfulCount } = quality;
  const percent = percentOf(quality);
  return (
    <>
      <p className="small quiet" style={{ marginBottom: 12 }}>
        {t('quality.from')} <Time at={quality.from} /> {t('quality.to')} <Time at={quality.to} />
      </p>
      <Gauges label={t('quality.title')}>
        <Gauge
          label={t('quality.queries')}
          big={count(queryCount)}
          sub={t('quality.queries.note', reformulationRow(quality))}
        />
        <Gauge label={t('quality.zero')} big={percent(quality.zeroResultRate)} sub={t('quality.zero.note')} />
        <Gauge label={t('quality.clicks')} big={percent(quality.clickThroughRate)} sub={t('quality.clicks.note')} />
        <Gauge
          label={t('quality.answers')}
          big={percent(quality.fallbackAnswerRate)}
          sub={
            queryCount > 0 &&
            t('quality.answers.note', {
              clarify: percent(quality.clarifyRate),
              insufficient: percent(quality.insufficientRate),
            })
          }
        />
        <Gauge
          label={t('quality.helped')}
          big={count(helpfulCount)}
          sub={t('quality.helped.not', { n: notHelpfulCount })}
        />
      </Gauges>
      {queryCount > 0 && (
        <Section title={t('quality.series')} bare>
          <QueryChart points={quality.series} byHour={quality.period === '24h'} />
        </Section>
      )}
      <Unanswered quality={quality} />
    </>
  );
}

const reformulationRow = ({ reformulationCount, rescueActionCount, abandonedFallbackCount }: Quality) => ({
  reworded: reformulationCount,
  rescued: rescueActionCount,
  abandoned: abandonedFallbackCount,
});

function Unanswered({ quality: { zeroResultQueries, queryCount } }: { readonly quality: Quality }) {
  return (
    <TableSection
      title={t('quality.unanswered')}
      empty={t(queryCount === 0 ? 'quality.unanswered.empty' : 'quality.unanswered.none')}
      rows={zeroResultQueries}
      rowId={({ query }) => query}
      columns={[
        {
          name: t('quality.query'),
          cell: ({ query }) => (
            <Link look="name" to="/search" search={{ q: query }}>
              {query}
            </Link>
          ),
        },
        { name: t('quality.times'), number: true, cell: ({ count: times }) => count(times) },
      ]}
    />
  );
}
