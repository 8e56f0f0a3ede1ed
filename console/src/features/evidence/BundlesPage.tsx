import { getRouteApi } from '@tanstack/react-router';
import { AllBundlesDocument, type AllBundlesQuery } from '../../generated/operations.ts';
import { EVIDENCE_READ, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { subjectLabel } from '../../parts/Artifacts.tsx';
import { bundleColumns } from '../../parts/EvidenceBundles.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { EvidenceLayout } from './EvidenceLayout.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/evidence/bundles');

type Row = AllBundlesQuery['evidenceBundles']['edges'][number]['node'];

/** Page of the evidence bundles of all releases and deployments, the newest first. */
export function BundlesPage() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
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
          open={(id) => void navigate({ to: '/evidence/bundles/$id', params: { id } })}
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
    cell: ({ id, subject }) => (
      <Link look="name" data-open="" to="/evidence/bundles/$id" params={{ id }}>
        {subject === null ? t('bundles.chosen') : subjectLabel(subject)}
      </Link>
    ),
  },
  { name: t('bundles.by'), className: 'breaks', cell: ({ createdBy }) => createdBy.displayName },
];
