import {
  ClearSearchHistoryDocument,
  SearchCorporaDocument,
  type SearchCorporaQuery,
  SearchHistoryDocument,
  type SearchHistoryQuery,
  SearchSuggestionsDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope, session } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ChipLink, Link } from '../../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';
import styles from './Search.module.css';

/** Page before a query: contents of the index, suggested queries, and previous searches. */
export function SearchStart() {
  return (
    <>
      <Contents />
      <div className={styles.two}>
        <Suggested title={t('search.try')} candidates={EXAMPLE_QUERIES} />
        <Recent />
      </div>
    </>
  );
}

/** Example queries, without those that find nothing here. */
const EXAMPLE_QUERIES = [
  'critical vulnerability',
  'known exploited',
  'remote code execution',
  'failed deployment',
  'image policy',
  'promotion approved',
  'environment frozen',
  'health check failed',
  'drift',
  'release',
] as const;

const OFFERED = 6;

type SuggestedProps = {
  readonly title: string;
  readonly candidates: readonly string[];
  readonly chosen?: () => void;
};

/** Suggested queries: those candidates that have results. The check is not recorded. */
export function Suggested({ title, candidates, chosen: selected }: SuggestedProps) {
  const { data } = useLiveQuery(SearchSuggestionsDocument, { suggestions: [...candidates] });
  const viable = data?.searchSuggestions.filter(({ viable }) => viable).slice(0, OFFERED) ?? [];
  if (viable.length === 0) return null;
  return (
    <Section title={title} bare>
      <div className={styles.words}>
        {viable.map(({ suggestion, cardCount }) => (
          <ChipLink key={suggestion} to="/search" search={{ q: suggestion }} {...(selected && { onClick: selected })}>
            {suggestion} <span className={styles.number}>{count(cardCount)}</span>
          </ChipLink>
        ))}
      </div>
    </Section>
  );
}

/** Size of the index, and how to import advisories where there are none. */
function Contents() {
  const { data } = useLiveQuery(SearchCorporaDocument, {});
  if (data === undefined) return null;
  const total = data.searchCorpora.reduce((sum, { documentCount }) => sum + documentCount, 0);
  return (
    <>
      <p className="soft" style={{ marginBlock: '8px 24px' }}>
        {t('search.contents', { n: total })}
      </p>
      {isWithoutAdvisories(data) && <NeverImported />}
    </>
  );
}

/** Import instructions, where nothing is found because no advisory was imported. */
export function ImportFirst() {
  const { data } = useLiveQuery(SearchCorporaDocument, {});
  return data !== undefined && isWithoutAdvisories(data) ? <NeverImported /> : null;
}

/** Whether no advisory and no VEX statement was imported; the platform's own records are always there. */
const isWithoutAdvisories = ({ searchCorpora }: SearchCorporaQuery): boolean =>
  searchCorpora.every(
    ({ domain, documentCount }) => documentCount === 0 || (domain !== 'FINDINGS' && domain !== 'VEX'),
  );

/** Command of `landfall search import --help`. */
const command = (): string => `npm run landfall -- search import advisories/ --tenant ${session().tenant}`;

function NeverImported() {
  return (
    <>
      <EmptyState
        verb={
          hasScope('advisory-ai:admin') && (
            <Link to="/search/quality" search={{ ask: 'import' }}>
              {t('search.import.open')}
            </Link>
          )
        }
      >
        {t('search.empty')}
      </EmptyState>
      <CodeBlock label={t('search.empty.command')} text={command()} />
    </>
  );
}

type Entry = SearchHistoryQuery['searchHistory'][number];

function Recent() {
  const history = useLiveQuery(SearchHistoryDocument, {});
  const verb = useAction(ClearSearchHistoryDocument);
  const clear = async (historyId: string | null) => {
    if ((await verb.run({ historyId })) !== undefined) history.refetch();
  };
  const some = (history.data?.searchHistory.length ?? 0) > 0;
  return (
    <Section
      title={t('search.recent')}
      side={
        some && (
          <Button size="small" weight="plain" busy={verb.busy} onClick={() => void clear(null)}>
            {t('search.recent.clear')}
          </Button>
        )
      }
    >
      <ActionError problem={verb.problem} />
      <QueryResult of={history} skeleton={<SkeletonRows rows={3} />} fault={t('search.recent.fault')}>
        {({ searchHistory }) =>
          searchHistory.length === 0 ? (
            <EmptyState>{t('search.recent.none')}</EmptyState>
          ) : (
            <ul className={styles.recent}>
              {searchHistory.slice(0, RECENT).map((entry) => (
                <RecentRow key={entry.historyId} entry={entry} remove={() => void clear(entry.historyId)} />
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Section>
  );
}

/** Number of previous searches that are shown. */
const RECENT = 12;

function RecentRow({ entry: { query, resultCount }, remove }: { readonly entry: Entry; readonly remove: () => void }) {
  return (
    <li>
      <Link look="name" to="/search" search={{ q: query }}>
        {query}
      </Link>
      <span className="small quiet">{t('search.results', { n: resultCount })}</span>
      <span className="push">
        <Button size="small" weight="plain" aria-label={t('search.recent.remove', { query })} onClick={remove}>
          {t('search.recent.remove.verb')}
        </Button>
      </span>
    </li>
  );
}
