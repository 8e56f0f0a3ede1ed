import {
  CompareReleasesDocument,
  type CompareReleasesQueryVariables,
  type ComparisonFragment,
  PromotionComparisonDocument,
} from '../generated/operations.ts';
import { comparisonLabelOr, comparisonLabel as t } from '../lib/comparison-labels.ts';
import { type QueryState, useLiveQuery } from '../lib/graph-hooks.ts';
import { EnvironmentLink, ReleaseLink } from '../ui/EntityLink.tsx';
import { Icon } from '../ui/Icon.tsx';
import { QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { StateLabel } from '../ui/StateLabel.tsx';
import { Commits } from './Commits.tsx';
import { ComparedComponents } from './ComparedComponents.tsx';
import { ComparedScans } from './ComparedScans.tsx';
import { ComparedVariables } from './ComparedVariables.tsx';
import styles from './Comparison.module.css';

/** Types whose changes may be another comparison: what runs somewhere follows promotions, variables environments. */
const WATCHED_TYPES = ['Promotion', 'Environment', 'VariableSet'] as const;

/** Query of a comparison, or of nothing where the comparison is asked for elsewhere. */
export type ComparisonState = QueryState<ComparisonFragment>;

/** Comparison of two sides; nothing is asked without them. */
export function useComparison(sides: CompareReleasesQueryVariables | undefined): ComparisonState {
  const { data, ...state } = useLiveQuery(CompareReleasesDocument, sides, WATCHED_TYPES);
  return { ...state, data: data?.compareReleases };
}

/** Comparison of a promotion with what runs in its environment; nothing is asked without it. */
export function usePromotionComparison(id: string | undefined): ComparisonState {
  const { data, ...state } = useLiveQuery(
    PromotionComparisonDocument,
    id === undefined ? undefined : { id },
    WATCHED_TYPES,
  );
  return { ...state, data: data?.promotion?.comparison };
}

type ComparisonProps = { readonly of: ComparisonState; readonly title?: string };

/** Differences between two sides: components, evidence, variables, and commits with their tickets. */
export function Comparison({ of, title = t('changes.title') }: ComparisonProps) {
  const { data } = of;
  return (
    <>
      <Section title={title} {...(data && { count: countText(data) })}>
        <QueryResult of={of} skeleton={<SkeletonRows rows={4} />} fault={t('comparison.fault')}>
          {(comparison) => <Changes comparison={comparison} />}
        </QueryResult>
      </Section>
      {data && (
        <>
          <ComparedScans components={data.components} />
          <ComparedVariables comparison={data} />
          <Commits comparison={data} />
        </>
      )}
    </>
  );
}

const countText = ({ components, unchangedComponents }: ComparisonFragment): string =>
  t('changes.count', { n: components.length, of: components.length + unchangedComponents });

function Changes({ comparison }: { readonly comparison: ComparisonFragment }) {
  const { from, to } = comparison;
  return (
    <>
      <p className={styles.sides}>
        <Side side={from} />
        <Icon name="right" size={14} />
        <span className="sr">{t('comparison.to')}</span>
        <Side side={to} />
      </p>
      <Notices comparison={comparison} />
      <ComparedComponents comparison={comparison} />
      <Evidence comparison={comparison} />
    </>
  );
}

type ComparedSide = ComparisonFragment['from'];

/** Release of a side, and the environment where it runs or ran. */
function Side({ side: { product, release, environment, deployment } }: { readonly side: ComparedSide }) {
  return (
    <span>
      {release === null ? (
        <span className="quiet">{t('comparison.nothing', { product: product.name })}</span>
      ) : (
        <ReleaseLink release={release} />
      )}
      {environment !== null && (release === null || deployment !== null) && (
        <>
          {' '}
          <span className="quiet">{t('comparison.in')}</span> <EnvironmentLink environment={environment} />
        </>
      )}
    </span>
  );
}

const whereOf = ({ environment }: ComparedSide): string => environment?.name ?? t('none');

function Notices({ comparison: { from, to, notices } }: { readonly comparison: ComparisonFragment }) {
  if (notices.length === 0) return null;
  const names = { from: from.product.name, to: to.product.name, fromWhere: whereOf(from), toWhere: whereOf(to) };
  return (
    <ul className={styles.notices}>
      {notices.map((notice) => (
        <li key={notice}>
          <StateLabel look={notice === 'FROM_IS_EMPTY' ? 'queued' : 'attention'} wrap>
            {comparisonLabelOr(`comparison.notice.${notice}`, notice, names)}
          </StateLabel>
        </li>
      ))}
    </ul>
  );
}

function Evidence({ comparison: { addedEvidence, removedEvidence } }: { readonly comparison: ComparisonFragment }) {
  if (addedEvidence.length === 0 && removedEvidence.length === 0) return null;
  return (
    <p className={styles.evidence}>
      {addedEvidence.map((type) => (
        <StateLabel key={type} look="signed">
          {t('comparison.evidence.added', { type: t(`evidence.${type}`) })}
        </StateLabel>
      ))}
      {removedEvidence.map((type) => (
        <StateLabel key={type} look="missing-attention">
          {t('comparison.evidence.removed', { type: t(`evidence.${type}`) })}
        </StateLabel>
      ))}
    </p>
  );
}
