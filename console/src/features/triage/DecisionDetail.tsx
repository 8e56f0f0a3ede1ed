import { type ConcernedScanFragment, ConcernedScansDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { purlText } from '../../lib/purl-text.ts';
import { scanName } from '../../lib/scan-name.ts';
import { OpenVexButton } from '../../parts/OpenVexButton.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { type Decision, TriageScopeText } from '../../parts/TriageDecision.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailSection } from '../../ui/DetailToggle.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type DecisionProps = { readonly decision: Decision };

/** Detail of a decision: its grounds, its end, and the newest scans that have the vulnerability. */
export function DecisionDetail({ decision }: DecisionProps) {
  const { id, vulnerabilityId, suppresses, justification, impactStatement, reason } = decision;
  return (
    <DetailSection id={id} label={t('decision.detail', { id: vulnerabilityId })}>
      <Facts look="page">
        <Fact label={t('decisions.scope')}>
          <span className="breaks">
            <TriageScopeText decision={decision} />
          </span>
        </Fact>
        <Fact label={t('reason')}>
          <span>
            {reason} <span className="quiet">{t(suppresses ? 'decision.suppresses' : 'decision.suppresses.not')}</span>
          </span>
        </Fact>
        {justification !== null && (
          <Fact label={t('decision.justification')}>{t(`justification.${justification}`)}</Fact>
        )}
        {impactStatement !== null && <Fact label={t('decision.impact')}>{impactStatement}</Fact>}
        <End decision={decision} />
      </Facts>
      <Scans decision={decision} />
    </DetailSection>
  );
}

function End({ decision: { revokedBy, revokedAt, revocationReason } }: DecisionProps) {
  if (revokedBy === null || revokedAt === null) return null;
  return (
    <Fact label={t('decision.revoked')}>
      <span>
        {revokedBy.displayName} <Time at={revokedAt} /> {revocationReason}
      </span>
    </Fact>
  );
}

/** Newest scans of images and other subjects that have the vulnerability, also where another decision holds. */
function Scans({ decision: { id, vulnerabilityId } }: DecisionProps) {
  const scans = useLiveQuery(ConcernedScansDocument, { vulnId: vulnerabilityId }, ['Scan', 'TriageDecision']);
  const connection = scans.data?.vulnerabilityLocations;
  return (
    <>
      <h3 className="small soft">{t('decisions.scans')}</h3>
      <ListResult
        label={t('decisions.scans')}
        of={scans}
        rows={({ vulnerabilityLocations }) => vulnerabilityLocations}
        rowId={({ scan, finding }) => `${scan.id} ${finding.findingId}`}
        fault={t('decisions.scans.fault')}
        empty={t('decisions.scans.none')}
        skeleton={2}
        columns={columns(id)}
        labelled
      />
      {connection?.pageInfo.hasNextPage && (
        <p className="small quiet">{t('decisions.scans.more', { n: connection.edges.length })}</p>
      )}
    </>
  );
}

const columns = (decisionId: string): Column<ConcernedScanFragment>[] => [
  {
    name: t('decisions.scan'),
    className: 'breaks',
    cell: ({ scan, finding }) => (
      <Link look="name" to="/scans/$id" params={{ id: scan.id }} search={{ finding: finding.findingId }}>
        {scanName(scan)}
      </Link>
    ),
  },
  {
    name: t('decisions.component'),
    className: 'breaks',
    cell: ({ finding }) => <span className="code">{purlText(finding.purl)}</span>,
  },
  {
    name: t('decisions.scans.held'),
    cell: ({ finding }) => <HeldBy decision={finding.decision} thisId={decisionId} />,
  },
  { name: t('decisions.scans.time'), number: true, cell: ({ scan }) => <Time at={scan.createdAt} /> },
  actionsColumn(({ scan }) => <OpenVexButton scanId={scan.id} name={scanName(scan)} />),
];

type HeldByProps = { readonly decision: { readonly id: string } | null; readonly thisId: string };

function HeldBy({ decision, thisId }: HeldByProps) {
  if (decision === null) return <span className="quiet">{t('decision.none')}</span>;
  return <span>{t(decision.id === thisId ? 'decisions.scans.by.this' : 'decisions.scans.by.other')}</span>;
}
