import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  EstateDocument,
  type EstateQuery,
  type EstateRowFragment,
  type EstateState,
} from '../../generated/operations.ts';
import { filterChanges } from '../../lib/filter-changes.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count, currentLocale } from '../../lib/i18n.ts';
import type { Search } from '../../lib/url-state.ts';
import { DriftTable } from '../../parts/DriftTable.tsx';
import { ChipGroup, Filters, TextFilter } from '../../ui/Filters.tsx';
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

type View = Search<{ state: EstateState; env: string; component: string; after: string }>;
type Status = EstateQuery['estate']['status'];

/** Types whose changes may change the estate. */
const WATCHED = ['Target', 'Agent', 'Deployment', 'Deviation', 'Environment'];

/** Observed state of every environment against what was approved. Unobserved placements are counted first. */
export function EstatePage() {
  const view = route.useSearch();
  const { state, env, component, after } = view;
  const navigate = route.useNavigate();
  const filter = {
    ...(state && { state }),
    ...(env && { environmentId: env }),
    ...(component && { component }),
  };
  const estate = useLiveQuery(EstateDocument, { filter, after: after ?? null }, WATCHED);
  const { change, clear } = filterChanges(view, (search) => void navigate({ search }), {});
  return (
    <QueryResult of={estate} skeleton={<SkeletonPage rows={10} />} fault={t('estate.fault')}>
      {(data) => (
        <>
          <PageHead title={t('estate.title')}>{leadOf(data.estate.status)}</PageHead>
          {data.estate.status.total === 0 ? (
            <EmptyState>{t('estate.never')}</EmptyState>
          ) : (
            <Whole data={data} view={view} change={change} clear={clear} />
          )}
        </>
      )}
    </QueryResult>
  );
}

const leadOf = ({ total, unobserved, drift }: Status): string => {
  if (total === 0) return t('estate.lead.never');
  if (unobserved === 0 && drift === 0) return t('estate.lead.well', { total });
  return [
    unobserved > 0 && t('estate.lead.unobserved', { n: unobserved }),
    drift > 0 && t('estate.lead.drift', { n: drift }),
  ]
    .filter(Boolean)
    .join(' ');
};

function Whole({
  data: { estate, estateMap },
  view,
  change,
  clear,
}: {
  readonly data: EstateQuery;
  readonly view: View;
  readonly change: (next: View) => void;
  readonly clear: (() => void) | undefined;
}) {
  const map = driftMap(estateMap);
  const rows = estate.drift.edges.map(({ node }) => node);
  const environments = new Map(map.rows.map(({ id, name }) => [id, name]));
  return (
    <>
      <Counts status={estate.status} />
      <DriftMap
        map={map}
        open={({ environmentId, column, state }) =>
          change({ env: environmentId, component: map.isGrouped ? undefined : column, state })
        }
      />
      <Section title={t('estate.placements')} count={t('estate.placements.count', { n: estate.drift.totalCount })} bare>
        <EstateFilters view={view} change={change} clear={clear} environments={environments} status={estate.status} />
        {rows.length === 0 ? (
          <EmptyState clear={clear}>{t(clear ? 'estate.filtered' : 'estate.well')}</EmptyState>
        ) : (
          <Rows rows={rows} />
        )}
        <Pager
          after={view.after}
          end={estate.drift.pageInfo.hasNextPage ? (estate.drift.pageInfo.endCursor ?? undefined) : undefined}
          go={(after) => change({ after })}
        />
      </Section>
    </>
  );
}

/** Share in per cent in the user's language; undefined for an empty whole. */
const share = (part: number, whole: number): string =>
  new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 1 }).format(
    part / Math.max(1, whole),
  );

function Counts({ status }: { readonly status: Status }) {
  const { unobserved, drift, inSync, total, observingAgents, agents, deviations } = status;
  const observed = { share: share(inSync, total), n: observingAgents, of: agents };
  return (
    <Gauges label={t('estate.gauges')}>
      <Gauge label={t('estate.UNOBSERVED')} big={count(unobserved)} sub={t('estate.silence')} />
      <Gauge label={t('estate.DRIFT')} big={count(drift)} sub={t('estate.drift.sub')} />
      <Gauge label={t('estate.IN_SYNC')} big={t('of', { n: inSync, of: total })} sub={t('estate.observed', observed)} />
      <Gauge label={t('estate.deviations')} big={count(deviations)} sub={t('estate.deviations.sub')} />
    </Gauges>
  );
}

function EstateFilters({
  view,
  change,
  clear,
  environments,
  status,
}: {
  readonly view: View;
  readonly change: (next: View) => void;
  readonly clear: (() => void) | undefined;
  readonly environments: ReadonlyMap<string, string>;
  readonly status: Status;
}) {
  const counts = { UNOBSERVED: status.unobserved, DRIFT: status.drift, IN_SYNC: status.inSync };
  return (
    <Filters clear={clear}>
      <TextFilter label={t('estate.find')} value={view.component} find={(component) => change({ component })} />
      <ChipGroup
        value={view.state}
        options={['UNOBSERVED', 'DRIFT', 'IN_SYNC']}
        label={(state) => `${t(`estate.${state}`)} ${count(counts[state])}`}
        choose={(state) => change({ state })}
      />
      <ChipGroup
        value={view.env}
        options={[...environments.keys()]}
        label={(id) => environments.get(id) ?? id}
        choose={(env) => change({ env })}
      />
    </Filters>
  );
}

/** Keys reach every row, also those without a drift to accept or with a forbidden action. */
const canBeAsked = ({ state, deviation, viewerCanAccept }: EstateRowFragment): boolean =>
  state === 'DRIFT' && (deviation?.viewerCanRevoke ?? viewerCanAccept).allowed;

/** The rows, and the dialog of the one whose drift is accepted or disowned. */
function Rows({ rows }: { readonly rows: readonly EstateRowFragment[] }) {
  const [dialog, setDialog] = useState<string>();
  const row = rows.find((one) => one.id === dialog && canBeAsked(one));
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
