import { type FindingSeverity, type ScanFindingFragment, ScanFindingsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { purlText } from '../../lib/purl-text.ts';
import { percentText, scoreText } from '../../lib/score.ts';
import { SEARCH_SEVERITIES } from '../../lib/search-filters.ts';
import { type Search, splitList } from '../../lib/url-state.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Chip } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { TextFilter } from '../../ui/Filters.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { SeverityLabel } from '../../ui/SeverityLabel.tsx';
import { FindingDetail } from './FindingDetail.tsx';
import { ReachabilityLabel, VexLabel } from './FindingStates.tsx';
import { FindingToggle } from './FindingToggle.tsx';
import { reachabilityOf } from './finding-reachability.ts';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';

/** Search parameters of a scan's page. */
type FindingSearch = Search<{
  readonly severity: string;
  readonly kev: true;
  readonly reachable: true;
  readonly text: string;
  readonly finding: string;
  readonly after: string;
}>;

type FindingsProps = {
  readonly scan: Scan;
  readonly list: {
    readonly view: FindingSearch;
    readonly filterBy: (next: FindingSearch) => void;
    readonly set: (next: FindingSearch) => void;
    readonly clear: (() => void) | undefined;
  };
};

const SEVERITIES: readonly FindingSeverity[] = SEARCH_SEVERITIES;

/** Findings of a scan, the highest score first, filtered by the server; a row opens its detail in place. */
export function Findings({ scan, list }: FindingsProps) {
  const { view, set } = list;
  const { severity, kev, reachable, text, finding, after } = view;
  const severities = SEVERITIES.filter((one) => splitList(severity).includes(one.toLowerCase()));
  const filter = {
    ...(severities.length > 0 && { severities }),
    ...(kev && { kev }),
    ...(reachable && { isReachable: reachable }),
    ...(text !== undefined && { text }),
  };
  const findings = useLiveQuery(ScanFindingsDocument, { id: scan.id, filter, after: after ?? null });
  const toggle = (id: string) => set({ finding: id === finding ? undefined : id });
  return (
    <ListSection
      title={t('findings.title')}
      {...(scan.score !== null && { count: count(scan.findingCount ?? 0) })}
      list={{ ...list, filterBy: (next) => list.filterBy({ ...next, finding: undefined }) }}
      filters={<FindingFilters severities={severities} list={list} />}
      of={findings}
      rows={(data) => data.scan?.findings ?? []}
      fault={t('findings.fault')}
      empty={t(list.clear ? 'findings.noMatch' : scan.score === null ? 'findings.unknown' : 'findings.none')}
      bare
      rowId={({ findingId }) => findingId}
      columns={columns(finding, toggle)}
      open={toggle}
      detail={{ id: finding, show: (row) => <FindingDetail finding={row} /> }}
      labelled
    />
  );
}

type FindingFiltersProps = Pick<FindingsProps, 'list'> & { readonly severities: readonly FindingSeverity[] };

function FindingFilters({ severities, list: { view, filterBy } }: FindingFiltersProps) {
  const change = (next: FindingSearch) => filterBy({ finding: undefined, ...next });
  const turn = (one: FindingSeverity) => {
    const next = SEVERITIES.filter((each) => severities.includes(each) !== (each === one));
    change({ severity: next.map((each) => each.toLowerCase()).join(',') || undefined });
  };
  return (
    <>
      <TextFilter label={t('findings.find')} value={view.text} find={(text) => change({ text })} />
      {SEVERITIES.map((one) => (
        <Chip key={one} pressed={severities.includes(one)} onPress={() => turn(one)}>
          {t(`findings.severity.${one}`)}
        </Chip>
      ))}
      <Chip pressed={view.kev === true} onPress={() => change({ kev: view.kev ? undefined : true })}>
        {t('findings.kev')}
      </Chip>
      <Chip pressed={view.reachable === true} onPress={() => change({ reachable: view.reachable ? undefined : true })}>
        {t('findings.reachable')}
      </Chip>
    </>
  );
}

/** Columns of the findings; an action on a finding is one more, `actionsColumn` of `parts/RowAction.tsx`. */
const columns = (open: string | undefined, toggle: (id: string) => void): Column<ScanFindingFragment>[] => [
  {
    name: t('finding.vulnerability'),
    className: 'breaks',
    cell: ({ findingId, vulnId, aliases }) => (
      <FindingToggle id={findingId} isOpen={open === findingId} toggle={() => toggle(findingId)} aliases={aliases}>
        {vulnId}
      </FindingToggle>
    ),
  },
  {
    name: t('finding.severity'),
    cell: (finding) => <Severity finding={finding} />,
  },
  {
    name: t('finding.package'),
    className: 'breaks',
    cell: ({ purl }) => <span className="code">{purlText(purl)}</span>,
  },
  {
    name: t('finding.fixed'),
    cell: ({ lowestCleanVersion, fixedVersions }) =>
      optional(lowestCleanVersion ?? fixedVersions[0], t('finding.fixed.none'), (version) => (
        <span className="code">{version}</span>
      )),
  },
  { name: t('finding.kev'), cell: ({ kev }) => kev && <Badge tone="bad">{t('finding.kev.yes')}</Badge> },
  {
    name: t('finding.epss'),
    number: true,
    cell: ({ epss }) => optional(epss, t('finding.epss.none'), percentText),
  },
  { name: t('finding.reachability'), cell: (finding) => <ReachabilityLabel state={reachabilityOf(finding)} /> },
  { name: t('finding.vex'), cell: ({ vex }) => <VexLabel state={vex} /> },
  { name: t('scan.score'), number: true, cell: ({ score }) => <b>{scoreText(score)}</b> },
];

const Severity = ({ finding }: { readonly finding: ScanFindingFragment }) => {
  if (finding.class === 'INFORMATIONAL') return <Badge>{t('finding.informational')}</Badge>;
  return optional(finding.severity, t('finding.unrated'), (severity) => <SeverityLabel severity={severity} />);
};
