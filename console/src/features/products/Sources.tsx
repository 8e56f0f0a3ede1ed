import { useEffect, useState } from 'react';
import {
  type CandidateState,
  ProductSourcesDocument,
  type ProductSourcesQuery,
  type SourceRowFragment,
  type SourceState,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import styles from './Products.module.css';
import { RefusedCandidates } from './RefusedCandidates.tsx';
import { refetchDelay } from './refetch-delay.ts';
import { SourceActions } from './SourceActions.tsx';
import { CreateSource } from './SourceForm.tsx';
import { selectionText } from './source-input.ts';
import { t } from './source-labels.ts';

const SOURCE: Looks<SourceState> = {
  DISABLED: 'missing',
  WAITING: 'queued',
  SELECTED: 'verified',
  NO_MATCH: 'attention',
  FAILING: 'failed',
};

const CANDIDATE: Looks<CandidateState> = {
  GATHERING: 'running',
  DRAFTED: 'running',
  FINALIZED: 'signed',
  DONE: 'verified',
  REFUSED: 'failed',
};

/** Types whose changes may change the sources, or what became of their images. */
const WATCHED_TYPES = ['ReleaseSource', 'Release', 'Promotion'];

type Product = NonNullable<ProductSourcesQuery['product']>;
type SourcesProps = {
  readonly product: Parameters<typeof CreateSource>[0]['product'];
  /** Whether the form of a new source is open. */
  readonly isAsked: boolean;
  readonly ask: (what: 'source' | undefined) => void;
};

/**
 * Sources of a product, the image set that is being gathered, and refused candidates. The rest of the page loads
 * without it.
 */
export function Sources({ product: { id, components }, isAsked, ask }: SourcesProps) {
  const answer = useLiveQuery(ProductSourcesDocument, { id }, WATCHED_TYPES);
  return (
    <>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('refused.fault')}>
        {({ product }) => product && <Loaded product={product} create={() => ask('source')} refetch={answer.refetch} />}
      </QueryResult>
      {isAsked && <CreateSource product={{ id, components }} close={() => ask(undefined)} />}
    </>
  );
}

type LoadedProps = { readonly product: Product; readonly create: () => void; readonly refetch: () => void };

function Loaded({ product: { sources, candidate, refusedCandidates }, create, refetch }: LoadedProps) {
  useRefetchAfter(dueInstants(sources, candidate), refetch);
  return (
    <>
      <TableSection
        title={t('source.title')}
        side={<AdminButton plus label={t('source.create')} press={create} />}
        labelled
        empty={t('source.none')}
        rows={sources}
        columns={columns()}
      >
        {candidate && <Candidate candidate={candidate} />}
      </TableSection>
      {(sources.length > 0 || refusedCandidates.length > 0) && <RefusedCandidates refused={refusedCandidates} />}
    </>
  );
}

/** Instants at which a poll or a step of the candidate is due. */
const dueInstants = (sources: Product['sources'], candidate: Product['candidate']): readonly string[] =>
  [...sources.map(({ nextPollAt }) => nextPollAt), candidate?.dueAt].filter((at) => typeof at === 'string');

/** Asks again after the instants: polls that find nothing new are not announced. */
function useRefetchAfter(instants: readonly string[], refetch: () => void): void {
  const key = instants.join();
  const [request, setRequest] = useState({ key, attempts: 0 });
  const attempts = request.key === key ? request.attempts : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer with the same instants begins another pause, too.
  useEffect(() => {
    const delay = refetchDelay(instants, attempts, Date.now());
    if (delay === undefined) return undefined;
    const id = setTimeout(() => {
      setRequest({ key, attempts: attempts + 1 });
      refetch();
    }, delay);
    return () => clearTimeout(id);
  }, [key, attempts]);
}

function Candidate({ candidate }: { readonly candidate: NonNullable<Product['candidate']> }) {
  const { state, policy, firstChangeAt, dueAt, problem, release } = candidate;
  return (
    <section className={styles.candidate} aria-label={t('candidate.title')}>
      <b>{t('candidate.title')}</b>
      <StateLabel look={CANDIDATE[state]}>{t(`candidate.${state}`)}</StateLabel>
      {release && <ReleaseLink release={release} />}
      <span className="soft">
        {t('candidate.since')} <RelativeTime at={firstChangeAt} as="relative" />
        {dueAt !== null && (
          <>
            , {t('candidate.due')} <RelativeTime at={dueAt} as="relative" />
          </>
        )}
      </span>
      <span className="quiet">{t(`source.policy.${policy}`)}</span>
      <span>{problem ?? (state === 'GATHERING' && t('candidate.lead.GATHERING'))}</span>
    </section>
  );
}

const columns = (): Column<SourceRowFragment>[] => [
  {
    name: t('source.column.component'),
    className: 'breaks',
    cell: ({ component, repository }) => (
      <div>
        {component}
        <p className="code small quiet">{repository}</p>
      </div>
    ),
  },
  {
    name: t('source.column.rule'),
    className: 'breaks',
    cell: ({ selection, policy }) => (
      <div>
        {selectionText(selection)}
        <p className="small quiet">{t(`source.policy.${policy}`)}</p>
      </div>
    ),
  },
  { name: t('source.column.state'), className: 'breaks', cell: (source) => <State source={source} /> },
  { name: t('source.column.polls'), className: 'soft', cell: (source) => <Polls source={source} /> },
  actionsColumn((source) => <SourceActions source={source} />),
];

type SourceProps = { readonly source: SourceRowFragment };

function State({ source: { state, problem, selected } }: SourceProps) {
  return (
    <div>
      <StateLabel look={SOURCE[state]} wrap>
        {t(`source.${state}`)}
      </StateLabel>
      {problem !== null && <p className="small soft">{problem}</p>}
      <p>
        {optional(selected, t('source.unselected'), ({ tag, digest }) => (
          <>
            <span className="code">{tag}</span> <Digest value={digest} />
          </>
        ))}
      </p>
    </div>
  );
}

function Polls({ source: { lastPollAt, nextPollAt, hasWebhook } }: SourceProps) {
  return (
    <div>
      {optional(lastPollAt, t('source.polled'), (at) => (
        <RelativeTime at={at} as="relative" />
      ))}
      {nextPollAt !== null && (
        <p>
          {t('source.nextPoll')} <RelativeTime at={nextPollAt} as="relative" />
        </p>
      )}
      {hasWebhook && <p className="small quiet">{t('source.webhook.on')}</p>}
    </div>
  );
}
