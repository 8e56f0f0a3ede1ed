import type { ReactNode } from 'react';
import type { Found } from '../../lib/found.ts';
import { count } from '../../lib/i18n.ts';
import { usePhone } from '../../lib/phone.ts';
import { listed } from '../../lib/url-state.ts';
import { NARROWING, type Narrowing, type SearchView, toggled } from './filters.ts';
import styles from './Search.module.css';
import { t, wordsOr } from './words.ts';

/** Which facet of the graph each parameter of the URL narrows by. */
const FACETS: Readonly<Record<Narrowing, string>> = {
  domain: 'domain',
  severity: 'severity',
  ecosystem: 'ecosystem',
  type: 'entityType',
};

/** More values than these are of no help in narrowing. */
const MOST = 8;

/** What results can be narrowed by, with how many of the best have each value. What is chosen stays in sight. */
export function Facets({
  found,
  view,
  change,
}: {
  readonly found: Found | undefined;
  readonly view: SearchView;
  readonly change: (view: SearchView) => void;
}) {
  const groups = NARROWING.map((name) => ({ name, values: valuesOf(found, name, listed(view[name])) })).filter(
    ({ values }) => values.length > 0,
  );
  return (
    <Fold n={NARROWING.reduce((sum, name) => sum + listed(view[name]).length, 0)}>
      {groups.map(({ name, values }) => (
        <fieldset key={name} className={styles.facet}>
          <legend>{t(`search.by.${name}`)}</legend>
          {values.map(({ value, n }) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={listed(view[name]).includes(value)}
                onChange={() => change(toggled(view, name, value))}
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

/** On a phone the results come first: what narrows them is folded. */
function Fold({ n, children }: { readonly n: number; readonly children: ReactNode }) {
  const isPhone = usePhone();
  if (!isPhone)
    return (
      <fieldset className={styles.facets} aria-label={t('search.narrow')}>
        {children}
      </fieldset>
    );
  return (
    <details className={styles.facets}>
      <summary>{n === 0 ? t('search.narrow') : t('search.narrowed', { n })}</summary>
      {children}
    </details>
  );
}

function valuesOf(found: Found | undefined, name: Narrowing, chosen: readonly string[]) {
  const facet = found?.facets.find((each) => each.name === FACETS[name]);
  // The graph may spell a closed word as its enums do.
  const told = (facet?.values ?? []).map(({ value, count: n }) => ({ value: spelt(name, value), n }));
  const missing = chosen.filter((value) => !told.some((each) => each.value === value));
  return [...told.slice(0, MOST), ...missing.map((value) => ({ value, n: 0 }))];
}

const spelt = (name: Narrowing, value: string): string =>
  name === 'domain' || name === 'severity' ? value.toLowerCase() : value;

/** What people call a value that narrows. */
export function nameOf(name: Narrowing, value: string): string {
  if (name === 'domain') return wordsOr(`search.domain.${value.toUpperCase()}`, value);
  if (name === 'severity') return wordsOr(`severity.${value.toUpperCase()}`, value);
  return name === 'type' ? wordsOr(`search.type.${value}`, value) : value;
}

/** How the results came to be, in a line. */
function Served({ found: { mode, durationMs, servedBy } }: { readonly found: Found }) {
  return (
    <p className="small quiet">
      {t('search.served', { mode: wordsOr(`search.mode.${mode}`, mode), ms: Math.max(1, Math.round(durationMs)) })}
      {servedBy === 'database' && <> {t('search.served.database')}</>}
    </p>
  );
}
