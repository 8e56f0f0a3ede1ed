import { type ArrivalFailureRowFragment, ArrivalFailuresDocument } from '../../generated/operations.ts';
import { shortId } from '../../lib/artifact-about.ts';
import { mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { PartialError } from '../../ui/Banner.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { labelOr, t } from './labels.ts';

/** Documents of the platform that are not in the store yet, and are tried again; nothing while there is none. */
export function ArrivalFailures() {
  const { data, problem, refetch } = useLiveQuery(ArrivalFailuresDocument, mayReadEvidence() ? {} : undefined, [
    'Artifact',
  ]);
  if (problem !== undefined) return <PartialError problem={problem} refetch={refetch} />;
  const rows = data?.evidenceArrivalFailures.edges.map(({ node }) => node) ?? [];
  if (rows.length === 0) return null;
  return (
    <TableSection title={t('arrivals.title')} bare rows={rows} columns={columns()} labelled>
      <p className="small quiet">{t('arrivals.next.sub')}</p>
    </TableSection>
  );
}

/** Name of a document by the event that announced it; the scan of a bill of materials has a page. */
function Document({ type, entityId }: Pick<ArrivalFailureRowFragment, 'type' | 'entityId'>) {
  const name = labelOr(`arrivals.type.${type}`, type);
  const id = <span className="code small quiet">{shortId(entityId)}</span>;
  if (type !== 'scan.complete')
    return (
      <span>
        {name} {id}
      </span>
    );
  return (
    <span>
      <Link look="name" to="/scans/$id" params={{ id: entityId }}>
        {name}
      </Link>{' '}
      {id}
    </span>
  );
}

const columns = (): Column<ArrivalFailureRowFragment>[] => [
  {
    name: t('arrivals.document'),
    className: 'breaks',
    cell: Document,
  },
  {
    name: t('arrivals.reason'),
    className: 'breaks',
    cell: ({ reason }) => (
      <StateLabel look="missing-attention" wrap>
        {reason}
      </StateLabel>
    ),
  },
  { name: t('arrivals.attempts'), number: true, cell: ({ attempts }) => count(attempts) },
  { name: t('arrivals.first'), cell: ({ failedAt }) => <RelativeTime at={failedAt} as="relative" /> },
  { name: t('arrivals.next'), cell: ({ retryAt }) => <RelativeTime at={retryAt} as="relative" /> },
];
