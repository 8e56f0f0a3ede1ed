import { getRouteApi } from '@tanstack/react-router';
import { type ScanRowFragment, ScansDocument, type ScansQuery } from '../../generated/operations.ts';
import { digestOf } from '../../lib/digest.ts';
import { type QueryState, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { scanName } from '../../lib/scan-name.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ScanScore, ScanStatusLabel } from '../../parts/ScanState.tsx';
import { ScansLayout } from '../../parts/ScansLayout.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/scans');

export const ScansPage = () => (
  <ScansLayout tab="scans" title={t('scans.title')} lead={t('scans.lead')}>
    <Scans />
  </ScansLayout>
);

const UNREADABLE: QueryState<ScansQuery | 'none'> = {
  data: 'none',
  problem: undefined,
  refetch: () => undefined,
};

function Scans() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { image, after } = list.view;
  const digest = image === undefined ? undefined : digestOf(image);
  // A text that is no digest is the image of no scan: nothing is requested.
  const isUnreadable = image !== undefined && digest === undefined;
  const variables = isUnreadable ? undefined : { after: after ?? null, imageDigest: digest ?? null };
  const answer = useLiveQuery(ScansDocument, variables, ['Scan']);
  const scans: typeof UNREADABLE = isUnreadable ? UNREADABLE : answer;
  const isEmpty = image === undefined && after === undefined && answer.data?.scans.edges.length === 0;
  return (
    <>
      <ListResult
        label={t('scans.title')}
        list={list}
        filters={<TextFilter label={t('scans.find')} value={image} find={(value) => list.filterBy({ image: value })} />}
        of={scans}
        rows={(data) => (data === 'none' ? [] : data.scans)}
        fault={t('scans.fault')}
        empty={t(isUnreadable ? 'scans.unreadable' : image === undefined ? 'scans.empty' : 'scans.noMatch')}
        columns={columns()}
        open={(id) => void navigate({ to: '/scans/$id', params: { id } })}
        labelled
      />
      {isEmpty && (
        <Section title={t('scans.first')}>
          <p className="soft">{t('scans.first.lead')}</p>
          <CodeBlock label={t('scans.first')} text={t('scans.first.command', { origin: location.origin })} />
        </Section>
      )}
    </>
  );
}

const columns = (): Column<ScanRowFragment>[] => [
  {
    name: t('scans.subject'),
    className: 'breaks',
    cell: (scan) => (
      <Link look="name" data-open="" to="/scans/$id" params={{ id: scan.id }}>
        {scanName(scan)}
      </Link>
    ),
  },
  { name: t('scans.status'), cell: ({ status }) => <ScanStatusLabel status={status} /> },
  { name: t('scan.score'), number: true, cell: (scan) => <ScanScore scan={scan} /> },
  {
    name: t('scans.findings'),
    number: true,
    cell: ({ findingCount, score }) => {
      if (findingCount === null) return null;
      return score === null ? <span className="quiet">{t('scans.findings.unknown')}</span> : count(findingCount);
    },
  },
  {
    name: t('scans.coverage'),
    number: true,
    cell: ({ coverage }) => coverage && t('of', { n: coverage.evaluated, of: coverage.components }),
  },
  {
    name: t('scans.image'),
    cell: ({ imageDigest }) => optional(imageDigest, t('none'), (value) => <Digest value={value} />),
  },
  { name: t('scans.time'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
