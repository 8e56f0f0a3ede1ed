import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DriftDetailDocument, type DriftDetailQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { scanName } from '../../lib/scan-name.ts';
import { mayReadScans, SCANS_READ } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Chip } from '../../ui/Button.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { ChipGroup, Filters } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { Analysis } from './Analysis.tsx';
import { DriftSinks } from './DriftSinks.tsx';
import { t } from './labels.ts';
import styles from './Scans.module.css';

const route = getRouteApi('/drift/$id');

type Drift = NonNullable<DriftDetailQuery['drift']>;

/** Page of the sinks that the call graphs of two scans reach differently. */
export function DriftPage() {
  if (mayReadScans()) return <DriftDetail />;
  return (
    <>
      <PageHead crumbs={[{ path: '/scans', label: t('scans.title') }]} title={t('drift.title')} />
      <ForbiddenAction name={t('scans.title')} scope={SCANS_READ} permission={SCOPE_DENIED} />
    </>
  );
}

const DIRECTIONS = ['BECAME_REACHABLE', 'BECAME_UNREACHABLE'] as const;

function DriftDetail() {
  const { id } = route.useParams();
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { direction, full = false, after } = list.view;
  const variables = { id, full, direction: direction ?? null, after: after ?? null };
  const answer = useLiveQuery(DriftDetailDocument, variables);
  return (
    <EntityPage of={answer} entity={({ drift }) => drift} fault={t('drift.fault')} gone={t('drift.notFound')}>
      {(drift) => (
        <Page drift={drift}>
          <Section title={t('drift.sinks')} count={count(drift.sinks.totalCount)} bare>
            <Filters clear={list.clear}>
              <ChipGroup
                value={direction}
                options={DIRECTIONS}
                label={(one) => t(`direction.${one}`)}
                choose={(next) => list.filterBy({ direction: next })}
              />
              <Chip pressed={full} onPress={() => list.set({ full: full ? undefined : true })}>
                {t('drift.full')}
              </Chip>
            </Filters>
            {drift.sinks.edges.length === 0 && (
              <EmptyState clear={list.clear}>{t(list.clear ? 'drift.noMatch' : 'drift.none')}</EmptyState>
            )}
            <DriftSinks sinks={drift.sinks.edges.map(({ node }) => node)} />
            <Pager after={after} page={drift.sinks.pageInfo} go={(next) => list.filterBy({ after: next })} />
          </Section>
        </Page>
      )}
    </EntityPage>
  );
}

function Page({ drift, children }: { readonly drift: Drift; readonly children: ReactNode }) {
  const { scan, baseScan, language, counts } = drift;
  const name = scanName(scan);
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/scans', label: t('scans.title') },
          { path: `/scans/${scan.id}`, label: name },
        ]}
        title={t('drift.title.of', { name })}
      >
        {t('drift.lead', {
          more: counts.becameReachable,
          less: counts.becameUnreachable,
          base: scanName(baseScan),
          language,
        })}
      </PageHead>
      <Gauges label={t('drift.figures')}>
        <Gauge label={t('direction.BECAME_REACHABLE')} big={count(counts.becameReachable)} />
        <Gauge label={t('direction.BECAME_UNREACHABLE')} big={count(counts.becameUnreachable)} />
        <Gauge label={t('drift.considered')} big={count(counts.sinksConsidered)} sub={t('drift.considered.note')} />
        <Gauge
          label={t('drift.reachable')}
          big={count(counts.headReachable)}
          sub={t('drift.reachable.base', { n: counts.baseReachable })}
        />
      </Gauges>
      {children}
      <Graphs drift={drift} />
    </>
  );
}

/** Both call graphs with the extent of their analysis. */
function Graphs({ drift }: { readonly drift: Drift }) {
  const { scan, baseScan, headCoverage, baseCoverage, headGraphHash, baseGraphHash, resultDigest, computedAt } = drift;
  return (
    <Section title={t('drift.graphs')}>
      <div className={styles.graphs}>
        {[
          { label: t('drift.head'), one: scan, coverage: headCoverage, hash: headGraphHash },
          { label: t('drift.base'), one: baseScan, coverage: baseCoverage, hash: baseGraphHash },
        ].map(({ label, one, coverage, hash }) => (
          <Facts key={label} look="page">
            <Fact label={label}>
              <Link to="/scans/$id" params={{ id: one.id }}>
                {scanName(one)}
              </Link>
            </Fact>
            <Fact label={t('scans.time')} at={one.createdAt} />
            <Fact label={t('graph.hash')}>
              <Digest value={hash} />
            </Fact>
            <Fact label={t('graph.analysis')}>
              <Analysis coverage={coverage} />
            </Fact>
          </Facts>
        ))}
      </div>
      <p className={styles.latest}>
        {t('drift.computed')} <Time at={computedAt} /> {t('drift.digest')} <Digest value={resultDigest} />
      </p>
    </Section>
  );
}
