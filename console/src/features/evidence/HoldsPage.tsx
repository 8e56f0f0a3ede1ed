import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { EvidenceHoldsDocument, type EvidenceHoldsQuery, type HoldRowFragment } from '../../generated/operations.ts';
import { EVIDENCE_READ, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ArtifactLink } from '../../parts/Artifacts.tsx';
import { Chip } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { EvidenceLayout } from './EvidenceLayout.tsx';
import { EndHold, holdColumns } from './Holds.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/evidence/holds');

type Row = EvidenceHoldsQuery['evidenceHolds']['edges'][number]['node'];

/** Page of the legal holds in force, and on demand of those that have ended. */
export function HoldsPage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { ended = false, after } = list.view;
  const [ending, end] = useState<HoldRowFragment>();
  const answer = useLiveQuery(
    EvidenceHoldsDocument,
    mayReadEvidence() ? { inForceOnly: !ended, after: after ?? null, mayName: mayNameSubjects() } : undefined,
    ['EvidenceHold'],
  );
  return (
    <EvidenceLayout tab="holds">
      {mayReadEvidence() ? (
        <ListResult
          label={t('holds.title')}
          of={answer}
          rows={({ evidenceHolds }) => evidenceHolds}
          list={list}
          filters={
            <Chip pressed={ended} onPress={() => list.filterBy({ ended: !ended || undefined })}>
              {t('holds.ended')}
            </Chip>
          }
          fault={t('holds.fault')}
          empty={t('holds.empty')}
          columns={[...columns(), ...holdColumns(end)]}
          labelled
        />
      ) : (
        <ForbiddenAction name={t('holds.title')} scope={EVIDENCE_READ} permission={SCOPE_DENIED} />
      )}
      {ending !== undefined && <EndHold hold={ending} close={() => end(undefined)} />}
    </EvidenceLayout>
  );
}

const columns = (): Column<Row>[] => [
  {
    name: t('artifact.bomRef'),
    className: 'breaks',
    cell: ({ artifact }) => (artifact === null ? t('holds.deleted') : <ArtifactLink artifact={artifact} />),
  },
  { name: t('artifact.type'), cell: ({ artifact }) => artifact && t(`artifact.type.${artifact.type}`) },
];
