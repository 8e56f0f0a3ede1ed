import { getRouteApi } from '@tanstack/react-router';
import { ScanDetailDocument, type ScanDetailQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { scanName } from '../../lib/scan-name.ts';
import { mayReadScans, SCANS_READ } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ScanScore, ScanStatusLabel } from '../../parts/ScanState.tsx';
import { TimeNotice } from '../../parts/TimeNotice.tsx';
import { ActionError, Banner } from '../../ui/Banner.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Time } from '../../ui/Time.tsx';
import { CallGraphs } from './CallGraphs.tsx';
import { CoverageSection } from './CoverageSection.tsx';
import { unevaluated } from './coverage.ts';
import { DriftSection } from './DriftSection.tsx';
import { Findings } from './Findings.tsx';
import { t } from './labels.ts';
import { ManifestSection } from './ManifestSection.tsx';
import { Replays } from './Replays.tsx';
import { ScoreSection } from './ScoreSection.tsx';
import { type Replay, useReplay } from './use-replay.ts';

const route = getRouteApi('/scans/$id');

export type Scan = NonNullable<ScanDetailQuery['scan']>;

/** Page of a scan: its score and what it is made of, its findings, its proof, and its call graphs. */
export function ScanPage() {
  const { id } = route.useParams();
  return mayReadScans() ? (
    <ScanDetail id={id} />
  ) : (
    <>
      <PageHead crumbs={[{ path: '/scans', label: t('scans.title') }]} title={t('scan.title')} />
      <ForbiddenAction name={t('scans.title')} scope={SCANS_READ} permission={SCOPE_DENIED} />
    </>
  );
}

function ScanDetail({ id }: { readonly id: string }) {
  const answer = useLiveQuery(ScanDetailDocument, { id });
  return (
    <EntityPage of={answer} entity={({ scan }) => scan} fault={t('scan.fault')} gone={t('scan.notFound')}>
      {(scan) => <Page scan={scan} />}
    </EntityPage>
  );
}

function Page({ scan }: { readonly scan: Scan }) {
  const replay = useReplay(scan);
  const list = usePageView(route.useSearch(), route.useNavigate());
  return (
    <>
      <PageHead
        crumbs={[{ path: '/scans', label: t('scans.title') }]}
        title={scanName(scan)}
        tab={t('scan.tab', { name: scanName(scan) })}
        state={<ScanStatusLabel status={scan.status} />}
        verbs={<ReplayForbidden replay={replay} />}
        actions={
          replay.isOffered
            ? [{ id: 'scan.replay', keys: 'r', title: t('replay.verb'), weight: 'primary', run: () => replay.run() }]
            : []
        }
      >
        {lead(scan)}
      </PageHead>
      <ActionError problem={replay.problem} />
      <Unfinished scan={scan} />
      <TimeNotice />
      <Figures scan={scan} />
      {scan.status === 'COMPLETED' && (
        <>
          <ScoreSection scan={scan} />
          <Findings scan={scan} list={list} />
          <CoverageSection scan={scan} />
          <Replays scan={scan} replay={replay} />
        </>
      )}
      <CallGraphs scan={scan} />
      {scan.callGraphs.length > 0 && <DriftSection scan={scan} />}
      {scan.manifest !== null && <ManifestSection manifest={scan.manifest} />}
    </>
  );
}

const ReplayForbidden = ({ replay }: { readonly replay: Replay }) =>
  replay.isForbidden ? (
    <ForbiddenAction name={t('replay.name')} scope="scanner.scans.write" permission={SCOPE_DENIED} />
  ) : null;

/** Lead sentence: what was found, and how much was not evaluated. */
function lead({ status, score, findingCount, coverage }: Scan): string {
  if (status !== 'COMPLETED' || coverage === null) return t(`scan.lead.${status}`);
  if (coverage.components === 0) return t('scan.lead.empty');
  if (score === null) return t('scan.lead.none', { n: coverage.components });
  const missing = unevaluated(coverage);
  const found = t('scan.lead.found', { n: findingCount ?? 0, of: coverage.evaluated });
  return missing === 0 ? found : `${found} ${t('scan.lead.missing', { n: missing })}`;
}

/** State of a scan that is not complete, and the next step. */
function Unfinished({ scan: { status, error } }: { readonly scan: Scan }) {
  if (status === 'FAILED')
    return (
      <div role="alert">
        <Banner tone="bad" title={error ?? t('scan.failed')}>
          <span>{t('scan.failed.next')}</span>
        </Banner>
      </div>
    );
  if (status === 'COMPLETED') return null;
  return <Banner title={t(`scan.wait.${status}`)}>{t('scan.wait.next')}</Banner>;
}

function Figures({ scan }: { readonly scan: Scan }) {
  const { status, findingCount, coverage, imageDigest, sbomDigest, sbomFormat, createdAt, completedAt, score } = scan;
  return (
    <Gauges label={t('scan.figures')}>
      {status !== 'FAILED' && (
        <Gauge
          label={t('scan.score')}
          {...(score === null ? { value: <ScanScore scan={scan} /> } : { big: <ScanScore scan={scan} /> })}
          sub={score !== null && t('scan.score.range')}
        />
      )}
      {findingCount !== null && score !== null && <Gauge label={t('scans.findings')} big={count(findingCount)} />}
      {coverage !== null && (
        <Gauge
          label={t('scans.coverage')}
          big={count(coverage.evaluated)}
          sub={t('scan.coverage.of', { n: coverage.components })}
        />
      )}
      <Gauge
        label={t('scans.image')}
        value={optional(imageDigest, t('none'), (value) => <Digest value={value} />)}
        sub={t('scan.sbom', { format: t(`scan.format.${sbomFormat}`) })}
      />
      <Gauge label={t('scan.sbom.digest')} value={<Digest value={sbomDigest} />} />
      <Gauge
        label={t(completedAt === null ? 'scans.time' : status === 'FAILED' ? 'scan.failedAt' : 'scan.completedAt')}
        value={<Time at={completedAt ?? createdAt} />}
      />
    </Gauges>
  );
}
