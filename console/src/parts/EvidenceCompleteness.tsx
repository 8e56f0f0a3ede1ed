import {
  type EvidenceAssessmentRowFragment,
  EvidenceCompletenessDocument,
  type EvidenceState,
} from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { count, listText } from '../lib/i18n.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { ArtifactLink } from './Artifacts.tsx';
import { t } from './artifact-labels.ts';

const LOOKS: Looks<EvidenceState> = {
  PRESENT: 'verified',
  MISSING: 'missing-attention',
  UNVERIFIED: 'unverified',
  EXPIRED: 'attention',
};

type EvidenceCompletenessProps = { readonly releaseId: string; readonly environmentId: string };

/** Evidence of a release, measured by what an environment expects of it; nothing where it expects none. */
export function EvidenceCompleteness(ids: EvidenceCompletenessProps) {
  const answer = useLiveQuery(EvidenceCompletenessDocument, ids, ['Artifact', 'Environment']);
  const requirements = answer.data?.release?.evidenceCompleteness.requirements;
  if (requirements?.length === 0 || (requirements === undefined && answer.problem === undefined)) return null;
  const present = requirements?.filter(({ state }) => state === 'PRESENT').length ?? 0;
  return (
    <Section
      title={t('completeness.title')}
      count={requirements && t('of', { n: count(present), of: count(requirements.length) })}
      bare
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('completeness.fault')}>
        {() => (
          <DataTable
            label={t('completeness.title')}
            rows={requirements ?? []}
            rowId={({ evidence, predicateType, signer }) => `${evidence} ${predicateType} ${signer}`}
            columns={columns()}
            labelled
          />
        )}
      </QueryResult>
    </Section>
  );
}

const columns = (): Column<EvidenceAssessmentRowFragment>[] => [
  { name: t('completeness.expected'), className: 'breaks', cell: (row) => <Expected of={row} /> },
  {
    name: t('completeness.state'),
    cell: ({ state }) => <StateLabel look={LOOKS[state]}>{t(`completeness.${state}`)}</StateLabel>,
  },
  {
    name: t('completeness.why'),
    className: 'breaks',
    cell: ({ artifact, components }) => (
      <span>
        {components.length > 0 && t('completeness.lacking', { names: listText(components), n: components.length })}{' '}
        {artifact !== null && <ArtifactLink artifact={artifact} />}
      </span>
    ),
  },
];

/** Evidence that is expected, of whom, and how new. */
function Expected({
  of: { evidence, predicateType, signer, maxAgeDays },
}: {
  readonly of: EvidenceAssessmentRowFragment;
}) {
  const rules = [
    signer === null ? '' : t('completeness.signer', { name: signer }),
    maxAgeDays === null ? '' : t('completeness.age', { n: maxAgeDays }),
  ].filter(Boolean);
  return (
    <span>
      {evidence === null ? predicateType : t(`evidence.${evidence}`)}
      {rules.length > 0 && <span className="small quiet"> {rules.join(', ')}</span>}
    </span>
  );
}
