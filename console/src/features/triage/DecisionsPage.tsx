import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { TriageDecisionsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { EndDecision } from '../../parts/EndDecision.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ScansLayout } from '../../parts/ScansLayout.tsx';
import {
  type Decision,
  EndDecisionButton,
  TriageScopeText,
  TriageStateLabel,
  TriageStatusLabel,
} from '../../parts/TriageDecision.tsx';
import { Clamped } from '../../ui/Clamped.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailToggle } from '../../ui/DetailToggle.tsx';
import { ChipGroup, TextFilter } from '../../ui/Filters.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Time } from '../../ui/Time.tsx';
import { DecisionDetail } from './DecisionDetail.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/scans/triage');

const STATES = ['force', 'ended'] as const;

/** Page of the triage decisions, the newest first; a row opens its detail in place. */
export const DecisionsPage = () => (
  <ScansLayout tab="triage" title={t('decisions.title')} lead={t('decisions.lead')}>
    <Decisions />
  </ScansLayout>
);

function Decisions() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { vulnerability, state, decision, after } = list.view;
  const variables = {
    after: after ?? null,
    vulnerabilityId: vulnerability ?? null,
    inForce: state === undefined ? null : state === 'force',
  };
  const decisions = useLiveQuery(TriageDecisionsDocument, variables, ['TriageDecision']);
  const [ended, end] = useState<Decision>();
  const filterBy = (next: Parameters<typeof list.filterBy>[0]) => list.filterBy({ decision: undefined, ...next });
  const toggle = (id: string) => list.set({ decision: id === decision ? undefined : id });
  return (
    <>
      <ListResult
        label={t('decisions.title')}
        list={{ ...list, filterBy }}
        filters={
          <>
            <TextFilter
              label={t('decisions.find')}
              value={vulnerability}
              find={(text) => filterBy({ vulnerability: text })}
            />
            <ChipGroup
              value={state}
              options={STATES}
              label={(one) => t(`decisions.${one}`)}
              choose={(next) => filterBy({ state: next })}
            />
          </>
        }
        of={decisions}
        rows={({ triageDecisions }) => triageDecisions}
        fault={t('decisions.fault')}
        empty={t(list.clear ? 'decisions.noMatch' : 'decisions.empty')}
        columns={columns({ open: decision, toggle, end })}
        open={toggle}
        detail={{ id: decision, show: (row) => <DecisionDetail decision={row} /> }}
        labelled
      />
      {ended && <EndDecision decision={ended} close={() => end(undefined)} />}
    </>
  );
}

type Rows = {
  readonly open: string | undefined;
  readonly toggle: (id: string) => void;
  readonly end: (decision: Decision) => void;
};

const columns = ({ open, toggle, end }: Rows): Column<Decision>[] => [
  {
    name: t('decisions.vulnerability'),
    className: 'breaks',
    cell: ({ id, vulnerabilityId }) => (
      <DetailToggle id={id} isOpen={open === id} toggle={() => toggle(id)}>
        {vulnerabilityId}
      </DetailToggle>
    ),
  },
  { name: t('decision'), cell: ({ status }) => <TriageStatusLabel status={status} /> },
  {
    name: t('decisions.scope'),
    className: 'breaks',
    cell: (decision) => <TriageScopeText decision={decision} />,
  },
  { name: t('reason'), className: 'breaks', cell: ({ reason }) => <Clamped text={reason} /> },
  { name: t('decisions.state'), cell: ({ state }) => <TriageStateLabel state={state} /> },
  {
    name: t('decision.decided'),
    className: 'breaks',
    cell: ({ decidedBy, decidedAt }) => (
      <span>
        {decidedBy.displayName} <Time at={decidedAt} />
      </span>
    ),
  },
  {
    name: t('decision.expires'),
    cell: ({ expiresAt }) => optional(expiresAt, t('decision.expires.never'), (at) => <Time at={at} as="full" />),
  },
  ...(mayWriteScans()
    ? [actionsColumn<Decision>((decision) => <EndDecisionButton decision={decision} press={() => end(decision)} />)]
    : []),
];
