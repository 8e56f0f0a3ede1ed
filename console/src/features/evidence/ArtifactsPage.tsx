import { getRouteApi } from '@tanstack/react-router';
import { type ArtifactRowFragment, ArtifactsDocument } from '../../generated/operations.ts';
import { ARTIFACT_TYPES, EVIDENCE_VERDICTS } from '../../lib/enums.ts';
import { mayNameSubjects } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { sizeText } from '../../lib/size-text.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ArtifactLink, ArtifactState } from '../../parts/Artifacts.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ChipGroup, SelectFilter, TextFilter } from '../../ui/Filters.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { ArrivalFailures } from './ArrivalFailures.tsx';
import { artifactFilter } from './artifact-filter.ts';
import { EvidenceLayout } from './EvidenceLayout.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/evidence');

/** Page of the artifacts of the store, the newest first. */
export function ArtifactsPage() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { about, type, verdict, after } = list.view;
  const answer = useLiveQuery(
    ArtifactsDocument,
    {
      ...artifactFilter(about),
      type: type ?? null,
      verdict: verdict ?? null,
      after: after ?? null,
      mayName: mayNameSubjects(),
    },
    ['Artifact'],
  );
  return (
    <EvidenceLayout tab="artifacts">
      <ArrivalFailures />
      <ListResult
        label={t('artifacts.title')}
        of={answer}
        rows={({ artifacts }) => artifacts}
        list={list}
        filters={
          <>
            <TextFilter label={t('artifacts.about')} value={about} find={(next) => list.filterBy({ about: next })} />
            <ChipGroup
              value={type}
              options={ARTIFACT_TYPES}
              label={(one) => t(`artifact.type.${one}`)}
              choose={(next) => list.filterBy({ type: next })}
            />
            <SelectFilter
              label={t('artifact.signature')}
              value={verdict}
              options={EVIDENCE_VERDICTS.map((value) => ({ value, label: t(`artifact.verdict.${value}`) }))}
              choose={(next) => list.filterBy({ verdict: EVIDENCE_VERDICTS.find((one) => one === next) })}
            />
          </>
        }
        fault={t('artifacts.fault')}
        empty={t(list.clear === undefined ? 'artifacts.empty' : 'artifacts.empty.filtered')}
        columns={columns()}
        open={(id) => void navigate({ to: '/evidence/$id', params: { id } })}
        labelled
      />
    </EvidenceLayout>
  );
}

const columns = (): Column<ArtifactRowFragment>[] => [
  { name: t('artifact.bomRef'), className: 'breaks', cell: (row) => <ArtifactLink artifact={row} /> },
  { name: t('artifact.type'), cell: ({ type }) => t(`artifact.type.${type}`) },
  { name: t('artifact.signature'), className: 'breaks', cell: (row) => <ArtifactState of={row} /> },
  { name: t('artifact.sha256'), cell: ({ sha256 }) => <Digest value={sha256} /> },
  { name: t('artifact.size'), number: true, cell: ({ sizeBytes }) => sizeText(sizeBytes) },
  { name: t('artifact.created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
];
