import type { SearchFiltersInput } from '../../generated/operations.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES } from '../../lib/search-filters.ts';
import { type Search, splitList } from '../../lib/url-state.ts';

export type SearchView = Search<{
  q: string;
  domain: string;
  severity: string;
  ecosystem: string;
  type: string;
  k: number;
  card: string;
}>;

/** Filter parameters of the URL, in display order. */
export const FILTERS = ['domain', 'severity', 'ecosystem', 'type'] as const;

export type FilterName = (typeof FILTERS)[number];

/** View's filters as the graph takes them; undefined where nothing narrows. */
export function graphFilters(view: SearchView): SearchFiltersInput | undefined {
  if (!isFiltered(view)) return undefined;
  const domains = SEARCH_DOMAINS.filter((domain) => splitList(view.domain).includes(domain.toLowerCase()));
  const severity = SEARCH_SEVERITIES.filter((each) => splitList(view.severity).includes(each.toLowerCase()));
  return {
    ...(domains.length > 0 && { domains }),
    ...(severity.length > 0 && { severity }),
    ...(view.ecosystem !== undefined && { ecosystem: [...splitList(view.ecosystem)] }),
    ...(view.type !== undefined && { entityType: [...splitList(view.type)] }),
  };
}

/** Filters as query parameters of the routes of spec 4.7. */
export function restFilters(view: SearchView): Readonly<Record<string, readonly string[]>> | undefined {
  if (!isFiltered(view)) return undefined;
  const of = (key: string, text: string | undefined) => (text === undefined ? {} : { [key]: splitList(text) });
  return {
    ...of('domains', view.domain),
    ...of('severity', view.severity),
    ...of('ecosystem', view.ecosystem),
    ...of('entityType', view.type),
  };
}

export const isFiltered = (view: SearchView): boolean => FILTERS.some((name) => view[name] !== undefined);

export const withoutFilters = ({ q, k }: SearchView): SearchView => ({ q, k });

export function toggleFilter(view: SearchView, name: FilterName, value: string): SearchView {
  const activeFilters = splitList(view[name]);
  const next = activeFilters.includes(value)
    ? activeFilters.filter((word) => word !== value)
    : [...activeFilters, value];
  return { ...view, card: undefined, [name]: next.length === 0 ? undefined : next.join(',') };
}

export const selected = (view: SearchView): readonly { readonly name: FilterName; readonly value: string }[] =>
  FILTERS.flatMap((name) => splitList(view[name]).map((value) => ({ name, value })));
