import type { SearchDomain, SearchFiltersInput, SearchSeverity } from '../../generated/operations.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES } from '../../lib/search-filters.ts';
import { type Search, splitList } from '../../lib/url-state.ts';

/** The view of the search page, as its URL has it. */
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

const DOMAINS: Readonly<Record<(typeof SEARCH_DOMAINS)[number], SearchDomain>> = {
  findings: 'FINDINGS',
  vex: 'VEX',
  policy: 'POLICY',
  release: 'RELEASE',
  scanner: 'SCANNER',
  graph: 'GRAPH',
  timeline: 'TIMELINE',
  opsmemory: 'OPSMEMORY',
  knowledge: 'KNOWLEDGE',
};

const SEVERITIES: Readonly<Record<(typeof SEARCH_SEVERITIES)[number], SearchSeverity>> = {
  critical: 'CRITICAL',
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
  none: 'NONE',
};

/** The view's filters as the graph takes them; undefined where nothing narrows. */
export function graphFilters(view: SearchView): SearchFiltersInput | undefined {
  if (!isFiltered(view)) return undefined;
  const domains = SEARCH_DOMAINS.filter((word) => splitList(view.domain).includes(word)).map((word) => DOMAINS[word]);
  const severity = SEARCH_SEVERITIES.filter((word) => splitList(view.severity).includes(word)).map(
    (word) => SEVERITIES[word],
  );
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
  const of = (key: string, words: string | undefined) => (words === undefined ? {} : { [key]: splitList(words) });
  return {
    ...of('domains', view.domain),
    ...of('severity', view.severity),
    ...of('ecosystem', view.ecosystem),
    ...of('entityType', view.type),
  };
}

/** Whether anything narrows. */
export const isFiltered = (view: SearchView): boolean => FILTERS.some((name) => view[name] !== undefined);

/** The view without what narrows it. */
export const withoutFilters = ({ q, k }: SearchView): SearchView => ({ q, k });

/** The view with a value chosen, or no longer. */
export function toggleFilter(view: SearchView, name: FilterName, value: string): SearchView {
  const activeFilters = splitList(view[name]);
  const next = activeFilters.includes(value)
    ? activeFilters.filter((word) => word !== value)
    : [...activeFilters, value];
  return { ...view, card: undefined, [name]: next.length === 0 ? undefined : next.join(',') };
}

/** Active filter values, in display order. */
export const chosen = (view: SearchView): readonly { readonly name: FilterName; readonly value: string }[] =>
  FILTERS.flatMap((name) => splitList(view[name]).map((value) => ({ name, value })));
