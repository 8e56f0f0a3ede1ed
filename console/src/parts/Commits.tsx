import { useState } from 'react';
import { type ComparisonFragment, ReleaseCommitsDocument, type ReleaseCommitsQuery } from '../generated/operations.ts';
import { hostOf, shortRevision, splitMessage } from '../lib/comparison.ts';
import { comparisonLabelOr, comparisonLabel as t } from '../lib/comparison-labels.ts';
import { useQueryOnce } from '../lib/graph-hooks.ts';
import { listText } from '../lib/i18n.ts';
import { Button } from '../ui/Button.tsx';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { Icon } from '../ui/Icon.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { StateLabel } from '../ui/StateLabel.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './Comparison.module.css';

type Found = ReleaseCommitsQuery['releaseCommits'];
type Repository = Found['repositories'][number];
type Commit = Repository['commits'][number];

/** Commits between both sides by repository, with their tickets, where a component changed. */
export function Commits({ comparison }: { readonly comparison: ComparisonFragment }) {
  const { from, to, components } = comparison;
  // An added or a removed component has no commits between two versions.
  const changed = components.filter(({ kind }) => kind === 'CHANGED' || kind === 'UNKNOWN');
  if (from.release === null || to.release === null || changed.length === 0) return null;
  const unsigned = changed.flatMap((change) =>
    change.from?.source?.from === 'IMAGE' || change.to?.source?.from === 'IMAGE' ? change.name : [],
  );
  return (
    <CommitsBetween
      from={from.release}
      to={to.release}
      // A draft keeps its id while its components change, and its commits are known once it is final.
      version={[
        from.release.status,
        to.release.status,
        ...changed.map((change) => `${change.name} ${change.from?.digest} ${change.to?.digest}`),
      ].join()}
      unsigned={unsigned}
    />
  );
}

type Release = NonNullable<ComparisonFragment['from']['release']>;
type CommitsBetweenProps = {
  readonly from: Release;
  readonly to: Release;
  /** Changes with what the commits depend on. */
  readonly version: string;
  /** Components whose revisions are labels of their images. */
  readonly unsigned: readonly string[];
};

function CommitsBetween({ from, to, version, unsigned }: CommitsBetweenProps) {
  const answer = useQueryOnce(
    ReleaseCommitsDocument,
    { from: { releaseId: from.id }, to: { releaseId: to.id } },
    version,
  );
  const found = answer.data?.releaseCommits;
  const isUnknown = found?.repositories.some(({ state }) => state === 'UNKNOWN') === true;
  const total = found?.repositories.reduce((sum, { total: n, commits }) => sum + (n ?? commits.length), 0) ?? 0;
  return (
    <Section
      title={t('commits.title')}
      {...(total > 0 && { count: t('commits.n', { n: total }) })}
      side={
        isUnknown && (
          <Button size="small" weight="plain" onClick={answer.refetch}>
            {t('commits.askAgain')}
          </Button>
        )
      }
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('commits.fault')}>
        {({ releaseCommits: { repositories, tickets, isComplete } }) => (
          <>
            <Tickets tickets={tickets} />
            {!isComplete && total > 0 && <p className={styles.note}>{t('commits.incomplete')}</p>}
            {repositories.length === 0 && <EmptyState>{t('commits.none')}</EmptyState>}
            <ul className={styles.repositories}>
              {repositories.map((repository) => (
                <RepositoryCommits
                  key={`${repository.repository} ${repository.from} ${repository.to} ${repository.components.join()}`}
                  of={repository}
                  isUnsigned={repository.components.some((name) => unsigned.includes(name))}
                />
              ))}
            </ul>
          </>
        )}
      </QueryResult>
    </Section>
  );
}

function Tickets({ tickets }: Pick<Found, 'tickets'>) {
  if (tickets.length === 0) return null;
  return (
    <ul className={styles.tickets} aria-label={t('commits.tickets')}>
      {tickets.map(({ key, url, commits }) => (
        <li key={url}>
          <ExternalLink href={url}>{key}</ExternalLink>{' '}
          <span className="small quiet">{t('commits.n', { n: commits.length })}</span>
        </li>
      ))}
    </ul>
  );
}

type RepositoryCommitsProps = { readonly of: Repository; readonly isUnsigned: boolean };

function RepositoryCommits({ of, isUnsigned }: RepositoryCommitsProps) {
  const { repository, components, from, to, compareUrl, state, reason, total, commits } = of;
  const name = repository ?? t('commits.noRepository');
  const n = total ?? commits.length;
  return (
    <li>
      <div className={styles.repositoryHead}>
        <h3>{name}</h3>
        <span className="quiet">{t('commits.ofComponents', { names: listText(components) })}</span>
        {from !== null && to !== null && (
          <span className="code">{t('commits.range', { from: shortRevision(from), to: shortRevision(to) })}</span>
        )}
        {compareUrl !== null && (
          <ExternalLink href={compareUrl}>{t('commits.compare', { host: hostOf(compareUrl) })}</ExternalLink>
        )}
      </div>
      <p>
        <StateLabel look={LOOKS[state]} wrap>
          {reason ?? comparisonLabelOr(`commits.state.${state}`, state, { n })}
        </StateLabel>
      </p>
      {isUnsigned && <p className="small quiet">{t('commits.unsigned')}</p>}
      <CommitList name={name} commits={commits} />
      {n > commits.length && commits.length > 0 && (
        <p className={styles.note}>{t('commits.newest', { n: commits.length, of: n })}</p>
      )}
    </li>
  );
}

const LOOKS = { ADDED: 'signed', REMOVED: 'back', UNKNOWN: 'unobserved' } as const;

/** Commits above which only the first are shown until unfolded. */
const MAX_SHOWN = 10;

function CommitList({ name, commits }: { readonly name: string; readonly commits: readonly Commit[] }) {
  const [unfolded, unfold] = useState(false);
  if (commits.length === 0) return null;
  // A fold of one line would only hide what it says.
  const visible = unfolded || commits.length <= MAX_SHOWN + 1 ? commits : commits.slice(0, MAX_SHOWN);
  return (
    <>
      <ul className={styles.commits} aria-label={t('commits.list', { name })}>
        {visible.map((commit) => (
          <CommitLine key={commit.id} commit={commit} />
        ))}
      </ul>
      {visible.length < commits.length && (
        <button type="button" className={styles.fold} onClick={() => unfold(true)}>
          <Icon name="right" size={14} />
          {t('commits.more', { n: commits.length - visible.length })}
        </button>
      )}
    </>
  );
}

/** Commit: its short hash, its message as its author wrote it, and its author. Markup in a message stays text. */
function CommitLine({ commit: { id, message, author, at, url } }: { readonly commit: Commit }) {
  const { subject, body } = splitMessage(message);
  const hash = <span className="code">{shortRevision(id)}</span>;
  return (
    <li>
      <span>{url === null ? hash : <ExternalLink href={url}>{hash}</ExternalLink>}</span>
      <div className={styles.message}>
        <bdi className={styles.subject}>{subject}</bdi>
        {body !== '' && (
          <details>
            <summary>{t('commits.message')}</summary>
            <p>{body}</p>
          </details>
        )}
      </div>
      <span>
        {author !== null && <bdi>{author}</bdi>} {at !== null && <Time at={at} />}
      </span>
    </li>
  );
}
