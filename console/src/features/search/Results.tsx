import { useEffect, useRef } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { type Card, type SearchRequest, type SearchState, useSearchResult } from '../../lib/search.ts';
import { recordSearchEvent } from '../../lib/search-events.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { AnswerSection, Recorded } from './AnswerSection.tsx';
import { isInProgress, isRecordComplete, reportedOutcome } from './answer.ts';
import { citedSources, type Sources } from './Citation.tsx';
import { Facets } from './Facets.tsx';
import { graphFilters, isFiltered, restFilters, type SearchView, withoutFilters } from './filters.ts';
import { t } from './labels.ts';
import { NoResults } from './NoResults.tsx';
import { ResultCard } from './ResultCard.tsx';
import { recordOpened } from './reformulation.ts';
import styles from './Search.module.css';
import { type Answering, canSynthesize, useAnswer } from './use-answer.ts';

/** Number of cards at first, and after more were requested. */
const INITIAL_RESULTS = 10;
const EXPANDED_RESULTS = 30;

/** Puts the focus on a card's name; without one, on the first. */
export function focusCard(entityKey?: string): void {
  const row = entityKey === undefined ? '[data-row]' : `[data-row="${CSS.escape(entityKey)}"]`;
  const card = document.querySelector<HTMLElement>(row);
  card?.scrollIntoView({ block: 'nearest' });
  card?.querySelector<HTMLElement>('[data-open]')?.focus({ preventScroll: true });
}

type Change = (next: SearchView, replace?: boolean) => void;

type ResultsProps = {
  readonly view: SearchView;
  readonly q: string;
  readonly isSettled: boolean;
  readonly change: Change;
};

export function Results({ view, q, isSettled, change }: ResultsProps) {
  const filters = graphFilters(view);
  const streams = canSynthesize();
  const request: SearchRequest = {
    q,
    k: view.k ?? INITIAL_RESULTS,
    typing: !isSettled,
    pieces: isSettled,
    ...(filters && { filters }),
    ...(isSettled && !streams && { includeSynthesis: true }),
  };
  const finding = useSearchResult(request, 0);
  const question = { q, k: INITIAL_RESULTS, ...(filters && { filters: restFilters(view) ?? {} }) };
  const { found, problem, refetch } = finding;
  // No results need no summary; until they arrive the spinner is beside them.
  const isEmpty = !finding.busy && found?.cards.length === 0;
  const answering = useAnswer(isSettled && streams && !isEmpty ? question : undefined);
  const light = (card: string) => {
    change({ ...view, card });
    focusCard(card);
  };
  const sources: Sources = { of: (ids) => citedSources(found?.cards ?? [], ids), light };
  useFrames(isSettled ? finding : undefined, answering);
  useResultCommands(view, change, answering);
  const isAnswered = isSettled && !isEmpty && (streams || Boolean(found?.synthesis));
  return (
    <>
      <Voice finding={finding} answering={answering} isSettled={isSettled} />
      {found?.mode === 'legacy-fallback' && <Banner title={t('search.legacy')}>{t('search.legacy.lead')}</Banner>}
      <div className={styles.result} data-answered={isAnswered}>
        <Facets found={found} view={view} change={change} />
        {isAnswered && (
          <div>
            {streams ? (
              <AnswerSection answering={answering} sources={sources} />
            ) : (
              <ReadOut finding={finding} sources={sources} />
            )}
          </div>
        )}
        <div>
          <QueryResult
            of={{ data: found, problem, refetch }}
            skeleton={<SkeletonRows rows={8} />}
            fault={t('search.fault')}
          >
            {({ cards, asked }) => (
              <Cards cards={cards} query={asked.q} finding={finding} view={view} change={change} />
            )}
          </QueryResult>
        </div>
      </div>
    </>
  );
}

/** Escape clears the filters, unless an answer is in progress, which it stops. */
function useResultCommands(view: SearchView, change: Change, { answer }: Answering): void {
  const runs = answer !== undefined && isInProgress(answer);
  const clear = isFiltered(view) && !runs;
  useCommands(
    clear
      ? [
          {
            id: 'filter.clear',
            group: 'move',
            keys: 'Escape',
            title: t('filter.clear'),
            run: () => change(withoutFilters(view)),
          },
        ]
      : [],
  );
}

type CardsProps = {
  readonly cards: readonly Card[];
  readonly query: string;
  readonly finding: SearchState;
  readonly view: SearchView;
  readonly change: Change;
};

function Cards({ cards, query, finding: { busy }, view, change }: CardsProps) {
  const cursor = useCursor(
    cards.map(({ entityKey }) => entityKey),
    openCard,
    { id: view.card, choose: (card) => change({ ...view, card }) },
  );
  const { card: lit } = view;
  useEffect(() => {
    if (lit !== undefined && cards.some(({ entityKey }) => entityKey === lit))
      document.querySelector(`[data-row="${CSS.escape(lit)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [lit, cards]);
  const opened = (card: Card, index: number) => () => {
    recordOpened(query);
    recordSearchEvent({ kind: 'CLICK', query, entityKey: card.entityKey, position: index + 1, domain: card.domain });
  };
  const widen = () => {
    recordSearchEvent({ kind: 'RESCUE_ACTION', query });
    change(withoutFilters(view));
  };
  if (cards.length === 0) return <NoResults view={view} query={query} clear={widen} />;
  const hasMore = cards.length >= (view.k ?? INITIAL_RESULTS) && cards.length < EXPANDED_RESULTS;
  return (
    <Section title={t('search.results.title')} count={t('search.results', { n: cards.length })}>
      <ol className={busy ? styles.stale : undefined} aria-busy={busy}>
        {cards.map((card, index) => (
          <ResultCard
            key={card.entityKey}
            card={card}
            number={index + 1}
            query={query}
            isLit={card.entityKey === lit}
            row={cursor.row(card.entityKey)}
            open={opened(card, index)}
          />
        ))}
      </ol>
      {hasMore && (
        <p className={styles.words}>
          <Button size="small" onClick={() => change({ ...view, k: EXPANDED_RESULTS })}>
            {t('search.more')}
          </Button>
        </p>
      )}
    </Section>
  );
}

/** Opens the page of a card's entity; without a page it unfolds the card. */
function openCard(entityKey: string): void {
  const card = document.querySelector(`[data-row="${CSS.escape(entityKey)}"]`);
  card?.querySelector<HTMLElement>('a[data-open], summary')?.click();
}

/** Answer that comes with the cards, for users who may not request one. */
function ReadOut({ finding: { found }, sources }: { readonly finding: SearchState; readonly sources: Sources }) {
  if (!found?.synthesis) return null;
  const { sentences, abstained } = found.synthesis;
  return (
    <Section title={t('search.answer.record')} count={t('search.answer.record.note')}>
      <Recorded sentences={sentences} sources={sources} isMarked={!abstained} />
      <p className="small quiet">{t('search.answer.scope')}</p>
    </Section>
  );
}

type VoiceProps = { readonly finding: SearchState; readonly answering: Answering; readonly isSettled: boolean };

/** Announces the results to screen readers once, politely. */
function Voice({ finding: { found }, answering: { answer }, isSettled }: VoiceProps) {
  return (
    <p className="sr" role="status">
      {isSettled && found !== undefined && announcement(found.cards.length, answer)}
    </p>
  );
}

function announcement(n: number, answer: Answering['answer']): string {
  const results = t('search.results', { n });
  if (answer === undefined) return results;
  if (answer.phase === 'stopped') return t('search.answer.is.stopped');
  if (!isRecordComplete(answer)) return '';
  if (answer.phase === 'ended' && answer.words.length > 0) return t('search.announcement.model');
  return t('search.announcement.record', { results, text: answer.record.map(({ text }) => text).join(' ') });
}

/** Reports the outcome of each query's answer once. */
function useFrames(finding: SearchState | undefined, { answer, problem }: Answering): void {
  const announced = useRef<string>(undefined);
  const found = finding?.busy === false ? finding.found : undefined;
  useEffect(() => {
    if (found === undefined || announced.current === found.asked.q) return;
    const outcome = reportedOutcome(found, answer, problem !== undefined);
    if (outcome === undefined) return;
    announced.current = found.asked.q;
    const isLegacy = found.mode === 'legacy-fallback';
    recordSearchEvent({ kind: 'ANSWER_FRAME', query: found.asked.q, outcome, ...(isLegacy && { mode: found.mode }) });
  }, [found, answer, problem]);
}
