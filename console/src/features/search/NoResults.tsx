import { recordSearchEvent } from '../../lib/search-events.ts';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { nameOf } from './Facets.tsx';
import { isFiltered, type SearchView, selected } from './filters.ts';
import { t } from './labels.ts';
import { ImportFirst, Suggested } from './SearchStart.tsx';

type NoResultsProps = { readonly view: SearchView; readonly query: string; readonly clear: () => void };

/** Empty result: the filters that hide results, or shorter queries that find something. */
export function NoResults({ view, query, clear }: NoResultsProps) {
  const narrowed = isFiltered(view);
  const filters = selected(view).map(({ name, value }) => `${t(`search.by.${name}`)}: ${nameOf(name, value)}`);
  return (
    <>
      {narrowed ? (
        <EmptyState clear={clear}>{t('search.noMatch', { query, filters: filters.join(', ') })}</EmptyState>
      ) : (
        <EmptyState>{t('search.nothing', { query })}</EmptyState>
      )}
      <ImportFirst />
      <Suggested
        title={t('search.alternatives')}
        candidates={shorterQueries(query)}
        chosen={() => recordSearchEvent({ kind: 'RESCUE_ACTION', query })}
      />
    </>
  );
}

/** Shorter queries: each word alone, and each pair of neighbours. */
function shorterQueries(query: string): string[] {
  const text = query.split(/\s+/).filter((word) => word.length > 2);
  const pairs = text.slice(1).map((word, index) => `${text[index] ?? ''} ${word}`);
  return [...new Set([...(text.length > 2 ? pairs : []), ...(text.length > 1 ? text : [])])].slice(0, 20);
}
