import { tellSearch } from '../../lib/search-events.ts';
import { Empty } from '../../ui/States.tsx';
import { nameOf } from './Facets.tsx';
import { chosen, isNarrowed, type SearchView } from './filters.ts';
import { ImportFirst, Suggested } from './Start.tsx';
import { t } from './words.ts';

/** Nothing fits: which filters stand in the way and how they go, or which of the words would find something. */
export function Nothing({
  view,
  query,
  clear,
}: {
  readonly view: SearchView;
  readonly query: string;
  readonly clear: () => void;
}) {
  const narrowed = isNarrowed(view);
  const filters = chosen(view).map(({ name, value }) => `${t(`search.by.${name}`)}: ${nameOf(name, value)}`);
  return (
    <>
      {narrowed ? (
        <Empty clear={clear}>{t('search.filtered', { query, filters: filters.join(', ') })}</Empty>
      ) : (
        <Empty>{t('search.nothing', { query })}</Empty>
      )}
      <ImportFirst />
      <Suggested
        title={t('search.instead')}
        candidates={narrowerOf(query)}
        chosen={() => tellSearch({ kind: 'RESCUE_ACTION', query })}
      />
    </>
  );
}

/** Shorter queries: each word alone, and each pair of neighbours. */
export function narrowerOf(query: string): string[] {
  const words = query.split(/\s+/).filter((word) => word.length > 2);
  const pairs = words.slice(1).map((word, at) => `${words[at] ?? ''} ${word}`);
  return [...new Set([...(words.length > 2 ? pairs : []), ...(words.length > 1 ? words : [])])].slice(0, 20);
}
