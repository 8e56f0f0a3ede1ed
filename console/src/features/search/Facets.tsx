import type { ReactNode } from 'react';
import { count } from '../../lib/i18n.ts';
import type { SearchResult } from '../../lib/search.ts';
import { splitList } from '../../lib/url-state.ts';
import { usePhone } from '../../lib/viewport.ts';
import { FILTERS, type FilterName, type SearchView, toggleFilter } from './filters.ts';
import { labelOr, t } from './labels.ts';
import styles from './Search.module.css';

/** Facet of the graph for each filter parameter of the URL. */
const FACETS: Readonly<Record<FilterName, string>> = {
  domain: 'domain',
  severity: 'severity',
  ecosystem: 'ecosystem',
  type: 'entityType',
};

/** Most values of a facet that are shown. */
const MAX = 8;

type FacetsProps = {
  readonly found: SearchResult | undefined;
  readonly view: SearchView;
  readonly change: (view: SearchView) => void;
};

/** Filters of the results, with the number of best results for each value. Active values stay in sight. */
export function Facets({ found, view, change }: FacetsProps) {
  const groups = FILTERS.map((name) => ({ name, values: valuesOf(found, name, splitList(view[name])) })).filter(
    ({ values }) => values.length > 0,
  );
  return (
    <Fold n={FILTERS.reduce((sum, name) => sum + splitList(view[name]).length, 0)}>
      {groups.map(({ name, values }) => (
        <fieldset key={name} className={styles.facet}>
          <legend>{t(`search.by.${name}`)}</legend>
          {values.map(({ value, n }) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={splitList(view[name]).includes(value)}
                onChange={() => change(toggleFilter(view, name, value))}
              />
              {nameOf(name, value)}
              <span className={styles.number}>{count(n)}</span>
            </label>
          ))}
        </fieldset>
      ))}
      {found !== undefined && <Served found={found} />}
    </Fold>
  );
}

/** Container of the facets, folded on a phone. */
function Fold({ n, children }: { readonly n: number; readonly children: ReactNode }) {
  const isPhone = usePhone();
  if (!isPhone)
    return (
      <fieldset className={styles.facets} aria-label={t('search.filters')}>
        {children}
      </fieldset>
    );
  return (
    <details className={styles.facets}>
      <summary>{n === 0 ? t('search.filters') : t('search.filters.chosen', { n })}</summary>
      {children}
    </details>
  );
}

function valuesOf(found: SearchResult | undefined, name: FilterName, selected: readonly string[]) {
  const facet = found?.facets.find((each) => each.name === FACETS[name]);
  // The graph may spell a value as its enum does (`IN_SYNC`).
  const listed = (facet?.values ?? []).map(({ value, count: n }) => ({ value: text(name, value), n }));
  const missing = selected.filter((value) => !listed.some((each) => each.value === value));
  return [...listed.slice(0, MAX), ...missing.map((value) => ({ value, n: 0 }))];
}

const text = (name: FilterName, value: string): string =>
  name === 'domain' || name === 'severity' ? value.toLowerCase() : value;

export function nameOf(name: FilterName, value: string): string {
  if (name === 'domain') return labelOr(`search.domain.${value.toUpperCase()}`, value);
  if (name === 'severity') return labelOr(`severity.${value.toUpperCase()}`, value);
  return name === 'type' ? labelOr(`search.type.${value}`, value) : value;
}

function Served({ found: { mode, durationMs, servedBy } }: { readonly found: SearchResult }) {
  return (
    <p className="small quiet">
      {t('search.served', { mode: labelOr(`search.mode.${mode}`, mode), ms: Math.max(1, Math.round(durationMs)) })}
      {servedBy === 'database' && <> {t('search.served.database')}</>}
    </p>
  );
}
