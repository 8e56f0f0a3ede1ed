import { lazy, Suspense, useEffect, useState } from 'react';
import { type FindingSeverity, type ScanFindingFragment, ScanFindingsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText } from '../../lib/i18n.ts';
import { purlText } from '../../lib/purl-text.ts';
import { scanName } from '../../lib/scan-name.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { percentText, scoreText } from '../../lib/score.ts';
import { SEARCH_SEVERITIES } from '../../lib/search-filters.ts';
import { type Search, splitList } from '../../lib/url-state.ts';
import { OpenVexButton } from '../../parts/OpenVexButton.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { DecisionSummary, EndDecisionButton } from '../../parts/TriageDecision.tsx';
import { t as triageLabel } from '../../parts/triage-labels.ts';
import { VexLabel } from '../../parts/VexLabel.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Chip, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailToggle } from '../../ui/DetailToggle.tsx';
import { ChipGroup, TextFilter } from '../../ui/Filters.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { SeverityLabel } from '../../ui/SeverityLabel.tsx';
import { FindingDetail } from './FindingDetail.tsx';
import type { FindingAction } from './FindingDialogs.tsx';
import { ReachabilityLabel } from './FindingStates.tsx';
import { reachabilityOf } from './finding-reachability.ts';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';

/** Search parameters of a scan's page. */
type FindingSearch = Search<{
  readonly severity: string;
  readonly kev: true;
  readonly reachable: true;
  readonly triage: 'open' | 'suppressed';
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

const loadDialogs = () => import('./FindingDialogs.tsx').then(({ FindingDialogs: code }) => ({ default: code }));
/** Dialogs of the findings. Most people read a page of a scan and decide nothing: the code comes after the page. */
const FindingDialogs = lazy(loadDialogs);

const TRIAGE = ['open', 'suppressed'] as const;

const SEVERITIES: readonly FindingSeverity[] = SEARCH_SEVERITIES;

/** Findings of a scan, the highest score first, filtered by the server; a row opens its detail in place. */
export function Findings({ scan, list }: FindingsProps) {
  const { view, set } = list;
  const { severity, kev, reachable, triage, text, finding, after } = view;
  const severities = SEVERITIES.filter((one) => splitList(severity).includes(one.toLowerCase()));
  const filter = {
    ...(severities.length > 0 && { severities }),
    ...(kev && { kev }),
    ...(reachable && { isReachable: reachable }),
    ...(text !== undefined && { text }),
  };
  const variables = {
    id: scan.id,
    filter,
    suppressed: triage === undefined ? null : triage === 'suppressed',
    after: after ?? null,
  };
  const findings = useLiveQuery(ScanFindingsDocument, variables, ['TriageDecision']);
  const [asked, ask] = useState<FindingAction>();
  useEffect(() => {
    if (mayWriteScans()) void loadDialogs();
  }, []);
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
      side={<OpenVexButton scanId={scan.id} name={scanName(scan)} />}
      bare
      rowId={({ findingId }) => findingId}
      columns={columns(finding, toggle, ask)}
      open={toggle}
      detail={{ id: finding, show: (row) => <FindingDetail finding={row} /> }}
      labelled
    >
      {asked && (
        <Suspense fallback={null}>
          <FindingDialogs scanId={scan.id} action={asked} close={() => ask(undefined)} />
        </Suspense>
      )}
    </ListSection>
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
      <ChipGroup
        value={view.triage}
        options={TRIAGE}
        label={(one) => triageLabel(`triage.${one}`)}
        choose={(triage) => change({ triage })}
      />
    </>
  );
}

const columns = (
  open: string | undefined,
  toggle: (id: string) => void,
  ask: (asked: FindingAction) => void,
): Column<ScanFindingFragment>[] => [
  {
    name: t('finding.vulnerability'),
    className: 'breaks',
    cell: ({ findingId, vulnId, aliases }) => (
      <>
        <DetailToggle id={findingId} isOpen={open === findingId} toggle={() => toggle(findingId)}>
          {vulnId}
        </DetailToggle>
        {aliases.length > 0 && <span className={styles.aliases}>{listText(aliases)}</span>}
      </>
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
  {
    name: triageLabel('decision'),
    className: 'breaks',
    cell: ({ decision }) =>
      optional(decision, triageLabel('decision.none'), (one) => <DecisionSummary decision={one} />),
  },
  ...(mayWriteScans()
    ? [actionsColumn<ScanFindingFragment>((finding) => <TriageActions finding={finding} ask={ask} />)]
    : []),
];

type TriageActionsProps = { readonly finding: ScanFindingFragment; readonly ask: (asked: FindingAction) => void };

function TriageActions({ finding, ask }: TriageActionsProps) {
  const { vulnId: id, purl, decision, viewerCanTriage } = finding;
  return (
    <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
      {viewerCanTriage.allowed && (
        <RowButton
          label={triageLabel('decide.label', { id, component: purlText(purl) })}
          press={() => ask({ verb: 'decide', finding })}
        >
          {triageLabel('decide')}
        </RowButton>
      )}
      {decision && <EndDecisionButton decision={decision} press={() => ask({ verb: 'end', finding })} />}
    </span>
  );
}

const Severity = ({ finding }: { readonly finding: ScanFindingFragment }) => {
  if (finding.class === 'INFORMATIONAL') return <Badge>{t('finding.informational')}</Badge>;
  return optional(finding.severity, t('finding.unrated'), (severity) => <SeverityLabel severity={severity} />);
};
