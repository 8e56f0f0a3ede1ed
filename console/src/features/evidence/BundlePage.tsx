import { getRouteApi } from '@tanstack/react-router';
import {
  BundleContentsDocument,
  type BundleContentsQuery,
  type BundledArtifactFragment,
} from '../../generated/operations.ts';
import { EVIDENCE_READ, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { sizeText } from '../../lib/size-text.ts';
import { ArtifactLink, aboutLabel, SubjectLink, subjectLabel } from '../../parts/Artifacts.tsx';
import { bundleColumns } from '../../parts/EvidenceBundles.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/evidence/bundles/$id');

type Bundle = NonNullable<BundleContentsQuery['evidenceBundle']>;

/** Page of an evidence bundle: the artifacts that it froze, those that the store lost since, and its archives. */
export function BundlePage() {
  const { id } = route.useParams();
  const mayRead = mayReadEvidence();
  const answer = useLiveQuery(BundleContentsDocument, mayRead ? { id, mayName: mayNameSubjects() } : undefined, [
    'EvidenceBundle',
    'EvidenceExport',
    'Artifact',
  ]);
  if (!mayRead) return <ForbiddenAction name={t('bundles.title')} scope={EVIDENCE_READ} permission={SCOPE_DENIED} />;
  return (
    <EntityPage
      of={answer}
      entity={({ evidenceBundle }) => evidenceBundle}
      fault={t('bundles.fault')}
      gone={t('bundle.notFound')}
    >
      {(bundle) => <Page bundle={bundle} />}
    </EntityPage>
  );
}

function Page({ bundle }: { readonly bundle: Bundle }) {
  const { subject, artifacts, artifactCount } = bundle;
  return (
    <>
      <PageHead
        crumbs={[{ path: '/evidence/bundles', label: t('bundles.title') }]}
        title={subject === null ? t('bundles.chosen') : subjectLabel(subject)}
        verbs={subject && <SubjectLink about={subject}>{t(`artifact.open.${subject.kind}`)}</SubjectLink>}
      >
        {t('bundle.lead')}
      </PageHead>
      <Section title={t('bundle.archive')} bare>
        <DataTable label={t('bundle.archive')} rows={[bundle]} columns={bundleColumns()} labelled />
      </Section>
      <TableSection
        title={t('bundle.artifacts')}
        count={count(artifactCount)}
        bare
        rows={artifacts}
        rowId={({ path }) => path}
        columns={columns(new Map(bundle.missing.map(({ artifactId, reason }) => [artifactId, reason])))}
        empty={t('bundle.empty')}
        labelled
      >
        {artifacts.length < artifactCount && (
          <p className="small quiet">{t('artifacts.of.first', { n: artifacts.length, of: artifactCount })}</p>
        )}
      </TableSection>
    </>
  );
}

type Losses = ReadonlyMap<string, Bundle['missing'][number]['reason']>;

const columns = (losses: Losses): Column<BundledArtifactFragment>[] => [
  {
    name: t('artifact.bomRef'),
    className: 'breaks',
    // An artifact that was disposed of has no page.
    cell: (row) =>
      losses.get(row.artifactId) === 'DISPOSED' ? (
        <bdi>{aboutLabel(row)}</bdi>
      ) : (
        <ArtifactLink artifact={{ ...row, id: row.artifactId }} />
      ),
  },
  { name: t('artifact.type'), cell: ({ type }) => t(`artifact.type.${type}`) },
  { name: t('bundle.state'), cell: ({ artifactId }) => <Presence loss={losses.get(artifactId)} /> },
  { name: t('artifact.sha256'), cell: ({ sha256 }) => <Digest value={sha256} /> },
  { name: t('artifact.size'), number: true, cell: ({ sizeBytes }) => sizeText(sizeBytes) },
];

const Presence = ({ loss }: { readonly loss: Bundle['missing'][number]['reason'] | undefined }) =>
  loss === undefined ? (
    <StateLabel look="verified">{t('bundle.present')}</StateLabel>
  ) : (
    <StateLabel look={loss === 'CORRUPT' ? 'mismatch' : 'missing-attention'}>{t(`bundle.loss.${loss}`)}</StateLabel>
  );
