import { useEffect } from 'react';
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
const WATCHED = ['ReleaseSource', 'Release', 'Promotion'];

type Product = NonNullable<ProductSourcesQuery['product']>;
type SourcesProps = {
  readonly product: Parameters<typeof CreateSource>[0]['product'];
  /** Whether the form of a new source is open. */
  readonly isAsked: boolean;
  readonly ask: (what: 'source' | undefined) => void;
};

/** Sources of a product, the set that is gathered, and what was refused. The rest of the page loads without it. */
export function Sources({ product: { id, components }, isAsked, ask }: SourcesProps) {
  const answer = useLiveQuery(ProductSourcesDocument, { id }, WATCHED);
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
  useRefetchAfter(nextChange(sources, candidate), refetch);
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

/** Earliest instant at which a poll or a step of the candidate is due. */
const nextChange = (sources: Product['sources'], candidate: Product['candidate']): string | undefined =>
  [...sources.map(({ nextPollAt }) => nextPollAt), candidate?.dueAt]
    .filter((at) => typeof at === 'string')
    .toSorted()[0];

/** Time that a poll takes, and the shortest pause between two questions, in milliseconds. */
const POLL_MS = 3_000;
const PAUSE_MS = 10_000;

/** Asks again after an instant: polls that find nothing new are not announced. */
function useRefetchAfter(at: string | undefined, refetch: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another instant begins another pause.
  useEffect(() => {
    if (at === undefined) return undefined;
    const id = setTimeout(refetch, Math.max(PAUSE_MS, new Date(at).getTime() + POLL_MS - Date.now()));
    return () => clearTimeout(id);
  }, [at]);
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
