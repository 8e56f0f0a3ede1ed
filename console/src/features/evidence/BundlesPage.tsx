import { getRouteApi } from '@tanstack/react-router';
import { AllBundlesDocument, type AllBundlesQuery } from '../../generated/operations.ts';
import { EVIDENCE_READ, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { SubjectLink, subjectLabel } from '../../parts/Artifacts.tsx';
import { bundleColumns } from '../../parts/EvidenceBundles.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { EvidenceLayout } from './EvidenceLayout.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/evidence/bundles');

type Row = AllBundlesQuery['evidenceBundles']['edges'][number]['node'];

/** Page of the evidence bundles of all releases and deployments, the newest first. */
export function BundlesPage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const answer = useLiveQuery(
    AllBundlesDocument,
    mayReadEvidence() ? { after: list.view.after ?? null, mayName: mayNameSubjects() } : undefined,
    ['EvidenceBundle', 'EvidenceExport'],
  );
  return (
    <EvidenceLayout tab="bundles">
      {mayReadEvidence() ? (
        <ListResult
          label={t('bundles.title')}
          of={answer}
          rows={({ evidenceBundles }) => evidenceBundles}
          list={list}
          fault={t('bundles.fault')}
          empty={t('bundles.none')}
          columns={[...columns(), ...bundleColumns()]}
          labelled
        />
      ) : (
        <ForbiddenAction name={t('bundles.title')} scope={EVIDENCE_READ} permission={SCOPE_DENIED} />
      )}
    </EvidenceLayout>
  );
}

const columns = (): Column<Row>[] => [
  {
    name: t('artifact.bomRef'),
    className: 'breaks',
    cell: ({ subject }) =>
      subject === null ? t('bundles.chosen') : <SubjectLink about={subject}>{subjectLabel(subject)}</SubjectLink>,
  },
  { name: t('bundles.by'), className: 'breaks', cell: ({ createdBy }) => createdBy.displayName },
];
