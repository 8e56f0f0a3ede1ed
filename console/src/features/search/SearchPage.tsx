import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { canSearch } from '../../lib/search.ts';
import { recordSearchEvent } from '../../lib/search-events.ts';
import { hasScope } from '../../lib/session.ts';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { HiddenHeading } from '../../ui/PageHead.tsx';
import type { SearchView } from './filters.ts';
import { t } from './labels.ts';
import { focusCard, Results } from './Results.tsx';
import { isReformulation } from './reformulation.ts';
import { SearchBox } from './SearchBox.tsx';
import { SearchStart } from './SearchStart.tsx';

const route = getRouteApi('/search');

/** Search page: one box over everything in the tenant, and an answer with sources. */
export function SearchPage() {
  return (
    <>
      <HiddenHeading title={t('search.title')} />
      {canSearch() ? (
        <Searching />
      ) : (
        <ForbiddenAction name={t('search.title')} scope="advisory-ai:operate" permission={SCOPE_DENIED} />
      )}
    </>
  );
}

function Searching() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const { q = '' } = view;
  useCommands(
    hasScope('advisory-ai:admin')
      ? [
          {
            id: 'search.quality',
            group: 'go',
            title: t('search.quality.open'),
            run: () => void navigate({ to: '/search/quality' }),
          },
        ]
      : [],
  );
  const change = useCallback(
    (next: SearchView, replace = true) => void navigate({ search: next, replace, resetScroll: false }),
    [navigate],
  );
  const { settled, written, settle } = useSettled(q);
  const write = useCallback(
    (text: string) => {
      written(text);
      change({ ...view, q: text || undefined, card: undefined });
    },
    [change, written, view],
  );
  const ask = (text: string) => {
    settle(text);
    change({ ...view, q: text || undefined, card: undefined }, text === q);
  };
  return (
    <>
      <SearchBox value={q} write={write} ask={ask} leave={() => focusCard()} />
      {q === '' ? <SearchStart /> : <Results view={view} q={q} isSettled={q === settled} change={change} />}
    </>
  );
}

/** Submitted query, by Enter or by opening the page with it; a reformulation of the one before is reported. */
function useSettled(q: string) {
  const [settled, setSettled] = useState(q);
  const latest = useRef<string>(undefined);
  const written = useCallback((text: string) => {
    latest.current = text;
  }, []);
  useEffect(() => {
    if (latest.current !== q) setSettled(q);
  }, [q]);
  const before = useRef(settled);
  useEffect(() => {
    if (isReformulation(before.current, settled)) recordSearchEvent({ kind: 'REFORMULATION', query: settled });
    before.current = settled;
  }, [settled]);
  const settle = (text: string) => {
    latest.current = undefined;
    setSettled(text);
  };
  return { settled, written, settle };
}
