import type { ListedBundleFragment, ReferenceRowFragment } from '../../generated/operations.ts';
import { shortId } from '../../lib/artifact-about.ts';
import { count } from '../../lib/i18n.ts';
import { SubjectLink, subjectLabel } from '../../parts/Artifacts.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Artifact } from './ArtifactPage.tsx';
import { t } from './labels.ts';

type Row =
  | { readonly id: string; readonly reference: ReferenceRowFragment }
  | { readonly id: string; readonly bundle: ListedBundleFragment };

/** Releases, deployments and scans that the artifact is evidence of, and the bundles that list it. */
export function References({ artifact: { references, bundles } }: { readonly artifact: Artifact }) {
  const rows: Row[] = [
    ...references.items.map((reference) => ({ id: reference.id, reference })),
    ...(bundles?.items ?? []).map((bundle) => ({ id: bundle.id, bundle })),
  ];
  const total = references.totalCount + (bundles?.totalCount ?? 0);
  return (
    <TableSection
      title={t('references.title')}
      count={count(total)}
      bare
      rows={rows}
      columns={columns()}
      empty={t('references.none')}
      labelled
    >
      {rows.length < total && <p className="small quiet">{t('artifacts.of.first', { n: rows.length, of: total })}</p>}
    </TableSection>
  );
}

const columns = (): Column<Row>[] => [
  {
    name: t('references.what'),
    className: 'breaks',
    cell: (row) => ('bundle' in row ? <BundleName of={row.bundle} /> : <ReferenceName of={row.reference} />),
  },
  {
    name: t('references.kind'),
    cell: (row) => t(`references.kind.${'bundle' in row ? 'BUNDLE' : row.reference.kind}`),
  },
  {
    name: t('references.since'),
    className: 'breaks',
    cell: (row) => 'bundle' in row && <Time at={row.bundle.createdAt} />,
  },
];

function ReferenceName({ of: { kind, id, release, deployment } }: { readonly of: ReferenceRowFragment }) {
  if (kind === 'SCAN')
    return (
      <Link look="name" to="/scans/$id" params={{ id }}>
        {t('references.scan', { id: shortId(id) })}
      </Link>
    );
  return <SubjectLink about={{ kind, id }}>{subjectLabel({ kind, id, release, deployment })}</SubjectLink>;
}

const BundleName = ({ of: { id, subject, artifactCount } }: { readonly of: ListedBundleFragment }) => (
  <span>
    <Link look="name" to="/evidence/bundles/$id" params={{ id }}>
      {subject === null ? t('bundles.chosen') : subjectLabel(subject)}
    </Link>{' '}
    <span className="small quiet">{t('bundles.artifacts', { n: artifactCount })}</span>
  </span>
);
