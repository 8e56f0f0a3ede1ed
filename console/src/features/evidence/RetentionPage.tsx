import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type DisposalRowFragment,
  EvidenceDisposalsDocument,
  RetentionPlanDocument,
  type RetentionRowFragment,
  RunRetentionDocument,
} from '../../generated/operations.ts';
import { download } from '../../lib/download.ts';
import { EVIDENCE_READ, mayDispose, mayNameSubjects, mayReadEvidence } from '../../lib/evidence-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { sizeText } from '../../lib/size-text.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ArtifactLink, aboutLabel } from '../../parts/Artifacts.tsx';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { EvidenceLayout } from './EvidenceLayout.tsx';
import { keepersText, t } from './labels.ts';

const route = getRouteApi('/evidence/retention');

/** Page of the retention: what the next run deletes and what keeps the rest, and the records of what was disposed of. */
export function RetentionPage() {
  const mayRead = mayReadEvidence();
  const plan = useLiveQuery(RetentionPlanDocument, mayRead ? { mayName: mayNameSubjects() } : undefined, [
    'Artifact',
    'EvidenceHold',
  ]);
  const [isAsked, ask] = useState(false);
  const ended = plan.data?.retentionPlan ?? [];
  const due = ended.filter(({ keptBy }) => keptBy.length === 0).length;
  return (
    <EvidenceLayout
      tab="retention"
      actions={
        mayDispose() && due > 0 ? [{ id: 'retention.run', title: t('retention.run'), run: () => ask(true) }] : []
      }
    >
      {mayRead ? (
        <>
          <ListSection
            title={t('retention.plan')}
            count={plan.data && t('retention.plan.count', { n: due, of: ended.length })}
            bare
            of={plan}
            rows={({ retentionPlan }) => retentionPlan}
            rowId={({ artifactId }) => artifactId}
            fault={t('retention.fault')}
            empty={t('retention.empty')}
            columns={planColumns()}
            labelled
          />
          <Disposals />
        </>
      ) : (
        <ForbiddenAction name={t('artifacts.tab.retention')} scope={EVIDENCE_READ} permission={SCOPE_DENIED} />
      )}
      {isAsked && (
        <ConfirmAction
          document={RunRetentionDocument}
          input={{}}
          title={t('retention.run.title', { n: due })}
          lead={t('retention.run.lead')}
          verb={t('retention.run.verb')}
          done={({ runRetention }) => t('retention.run.done', { n: runRetention.disposedCount })}
          refetch={[RetentionPlanDocument, EvidenceDisposalsDocument]}
          close={() => ask(false)}
        />
      )}
    </EvidenceLayout>
  );
}

const planColumns = (): Column<RetentionRowFragment>[] => [
  {
    name: t('artifact.bomRef'),
    className: 'breaks',
    // A deleted artifact has no page: its bytes alone are left.
    cell: (row) =>
      row.isDeleted ? (
        <span>
          <bdi>{aboutLabel(row)}</bdi> <span className="small quiet">{t('retention.deleted')}</span>
        </span>
      ) : (
        <ArtifactLink artifact={{ ...row, id: row.artifactId }} />
      ),
  },
  { name: t('artifact.type'), cell: ({ type }) => t(`artifact.type.${type}`) },
  {
    name: t('retention.next'),
    className: 'breaks',
    cell: ({ keptBy }) =>
      keptBy.length === 0 ? (
        <StateLabel look="attention">{t('retention.due')}</StateLabel>
      ) : (
        <StateLabel look="held-muted" wrap>
          {t('retention.kept', { by: keepersText(keptBy) })}
        </StateLabel>
      ),
  },
  { name: t('retention.until'), cell: ({ retainedUntil }) => <Time at={retainedUntil} /> },
  { name: t('artifact.size'), number: true, cell: ({ sizeBytes }) => sizeText(sizeBytes) },
];

function Disposals() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const answer = useLiveQuery(
    EvidenceDisposalsDocument,
    { after: list.view.after ?? null, mayName: mayNameSubjects() },
    ['Artifact'],
  );
  return (
    <ListSection
      title={t('disposals.title')}
      bare
      of={answer}
      rows={({ evidenceDisposals }) => evidenceDisposals}
      list={list}
      skeleton={3}
      fault={t('disposals.fault')}
      empty={t('disposals.empty')}
      columns={disposalColumns()}
      labelled
    />
  );
}

/** Rule of a disposal in words; one of another version as it is. */
const ruleText = (rule: string): string => {
  const days = /^Artifacts:RetentionDays=(\d+)$/.exec(rule)?.[1];
  return days === undefined ? rule : t('disposals.rule.days', { n: Number(days) });
};

const disposalColumns = (): Column<DisposalRowFragment>[] => [
  { name: t('artifact.bomRef'), className: 'breaks', cell: aboutLabel },
  { name: t('artifact.sha256'), cell: ({ sha256 }) => <Digest value={sha256} /> },
  { name: t('artifact.size'), number: true, cell: ({ sizeBytes }) => sizeText(sizeBytes) },
  { name: t('disposals.rule'), className: 'breaks', cell: ({ rule }) => ruleText(rule) },
  {
    name: t('disposals.by'),
    className: 'breaks',
    cell: ({ disposedBy, disposedAt }) => (
      <span>
        {disposedBy.displayName} <Time at={disposedAt} />
      </span>
    ),
  },
  actionsColumn<DisposalRowFragment>(({ id, envelope, ...row }) => (
    <RowButton
      label={t('disposals.download.label', { name: aboutLabel(row) })}
      press={() => download(`disposal-${id}.dsse.json`, 'application/json', envelope)}
    >
      {t('disposals.download')}
    </RowButton>
  )),
];
