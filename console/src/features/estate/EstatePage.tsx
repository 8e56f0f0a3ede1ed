import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  EstateDocument,
  type EstateQuery,
  type EstateRowFragment,
  type EstateState,
} from '../../generated/operations.ts';
import { ESTATE_STATES } from '../../lib/enums.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, currentLocale } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { DriftTable } from '../../parts/DriftTable.tsx';
import { ProductFilter } from '../../parts/ProductFilter.tsx';
import { ChipGroup, EnvironmentFilter, Filters, TextFilter } from '../../ui/Filters.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { AcceptDeviation, RevokeDeviation } from './Deviation.tsx';
import { DriftMap } from './DriftMap.tsx';
import { driftMap } from './drift-map.ts';
import { t } from './labels.ts';

const route = getRouteApi('/estate');

type View = { state: EstateState; product: string; env: string; component: string; after: string };
type Status = EstateQuery['estate']['status'];

/** Types whose changes may change the estate. */
const WATCHED_TYPES = ['Target', 'Agent', 'Deployment', 'Deviation', 'Environment'];

/** Observed state of every environment against what was approved. Unobserved placements are counted first. */
export function EstatePage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { state, product, env, component, after } = list.view;
  const filter = {
    ...(state && { state }),
    ...(product && { productId: product }),
    ...(env && { environmentId: env }),
    ...(component && { component }),
  };
  const estate = useLiveQuery(EstateDocument, { filter, after: after ?? null }, WATCHED_TYPES);
  return (
    <QueryResult of={estate} skeleton={<SkeletonPage rows={10} />} fault={t('estate.fault')}>
      {(data) => (
        <>
          <PageHead title={t('estate.title')}>{leadOf(data.estate.status)}</PageHead>
          {data.estate.status.total === 0 ? (
            <EmptyState>{t('estate.empty')}</EmptyState>
          ) : (
            <Complete data={data} list={list} />
          )}
        </>
      )}
    </QueryResult>
  );
}

const leadOf = ({ total, unobserved, drift }: Status): string => {
  if (total === 0) return t('estate.lead.default');
  if (unobserved === 0 && drift === 0) return t('estate.lead.inSync', { total });
  return [
    unobserved > 0 && t('estate.lead.unobserved', { n: unobserved }),
    drift > 0 && t('estate.lead.drift', { n: drift }),
  ]
    .filter(Boolean)
    .join(' ');
};

type List = ReturnType<typeof usePageView<View>>;

function Complete({ data: { estate, estateMap }, list }: { readonly data: EstateQuery; readonly list: List }) {
  const { view, filterBy, clear } = list;
  const map = driftMap(estateMap);
  const rows = estate.drift.edges.map(({ node }) => node);
  const environments = new Map(map.rows.map(({ id, name }) => [id, name]));
  return (
    <>
      <Counts status={estate.status} />
      <DriftMap
        map={map}
        open={({ environmentId, component, productId, state }) =>
          filterBy({ env: environmentId, component, product: productId, state })
        }
      />
      <Section title={t('estate.placements')} count={t('estate.placements.count', { n: estate.drift.totalCount })} bare>
        <EstateFilters list={list} environments={environments} status={estate.status} />
        {rows.length === 0 ? (
          <EmptyState clear={clear}>{t(clear ? 'estate.noMatch' : 'estate.allInSync')}</EmptyState>
        ) : (
          <Rows rows={rows} />
        )}
        <Pager after={view.after} page={estate.drift.pageInfo} go={(after) => filterBy({ after })} />
      </Section>
    </>
  );
}

/** Share in per cent, in the user's language. */
const share = (part: number, total: number): string =>
  new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 1 }).format(
    part / Math.max(1, total),
  );

function Counts({ status }: { readonly status: Status }) {
  const { unobserved, drift, inSync, total, observingAgents, agents, deviations } = status;
  const observed = { share: share(inSync, total), n: observingAgents, of: agents };
  return (
    <Gauges label={t('estate.gauges')}>
      <Gauge label={t('estate.UNOBSERVED')} big={count(unobserved)} sub={t('estate.unknown')} />
      <Gauge label={t('estate.DRIFT')} big={count(drift)} sub={t('estate.drift.sub')} />
      <Gauge label={t('estate.IN_SYNC')} big={t('of', { n: inSync, of: total })} sub={t('estate.observed', observed)} />
      <Gauge label={t('estate.deviations')} big={count(deviations)} sub={t('estate.deviations.sub')} />
    </Gauges>
  );
}

type EstateFiltersProps = {
  readonly list: List;
  readonly environments: ReadonlyMap<string, string>;
  readonly status: Status;
};

function EstateFilters({ list: { view, filterBy, clear }, environments, status }: EstateFiltersProps) {
  const counts = { UNOBSERVED: status.unobserved, DRIFT: status.drift, IN_SYNC: status.inSync };
  return (
    <Filters clear={clear}>
      <ProductFilter value={view.product} choose={(product) => filterBy({ product })} />
      <TextFilter label={t('estate.find')} value={view.component} find={(component) => filterBy({ component })} />
      <ChipGroup
        value={view.state}
        options={ESTATE_STATES}
        label={(state) => `${t(`estate.${state}`)} ${count(counts[state])}`}
        choose={(state) => filterBy({ state })}
      />
      <EnvironmentFilter names={environments} value={view.env} choose={(env) => filterBy({ env })} />
    </Filters>
  );
}

/** Whether the row offers an action. Keys reach every row, also those without one. */
const canAccept = ({ state, deviation, viewerCanAccept }: EstateRowFragment): boolean =>
  state === 'DRIFT' && (deviation?.viewerCanRevoke ?? viewerCanAccept).allowed;

/** Rows of the table, and the dialog that accepts a drift or revokes its acceptance. */
function Rows({ rows }: { readonly rows: readonly EstateRowFragment[] }) {
  const [dialog, setDialog] = useState<string>();
  const row = rows.find((one) => one.id === dialog && canAccept(one));
  const close = () => setDialog(undefined);
  return (
    <>
      <DriftTable rows={rows} ask={setDialog} />
      {row &&
        (row.deviation === null ? (
          <AcceptDeviation row={row} close={close} />
        ) : (
          <RevokeDeviation row={row} close={close} />
        ))}
    </>
  );
}
