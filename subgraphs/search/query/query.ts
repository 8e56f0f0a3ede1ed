import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { CardChunk, StoredChunk } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import type { Lane, LaneAnswer, LaneQuery } from '../fts/lane.ts';
import type { Popularity } from '../quality/popularity.ts';
import type { Recorder } from '../quality/recorder.ts';
import { SCOPES, searchOperations } from '../shared/operations.ts';
import type { SearchSettings } from '../shared/settings.ts';
import type { QueryWord } from '../text/tokens.ts';
import type { Answer, Diagnostics, Found, Synthesis } from './card.ts';
import { cardOf, chunkNumbersOf, type HydratedCard } from './card-assembly.ts';
import { createDatabaseSearch } from './database-search.ts';
import { debugOf, debugOfIntent } from './debug.ts';
import { facetsOf } from './facets.ts';
import { highlighterOf } from './highlight.ts';
import {
  filtersOf,
  isQuery,
  MAX_SUGGESTIONS,
  readQuery,
  type SearchInput,
  searchInput,
  suggestionsInput,
  USUAL_CARDS,
  withReadableInput,
} from './input.ts';
import { type Intent, readIntent } from './intent.ts';
import { boosted } from './popularity.ts';
import { type FusedHit, fuse, type RankedLane } from './rank-fusion.ts';
import { refinementLanes, searchRefinements, wholeAnswer } from './refinements.ts';
import { isWanted, MAX_VECTORS, type VectorSearch, vectorLane } from './vector.ts';

/** Searches without recording the query. */
export type Find = (caller: Who, request: SearchRequest) => Promise<Found>;

interface QueryOptions extends Pick<Deps, 'operation' | 'database' | 'log'> {
  readonly corpus: Pick<Corpus, 'load' | 'loadCards'>;
  readonly lane: Pick<Lane, 'search'>;
  /** Feed of the index. While it is not ready, or when the index fails, the database is searched. */
  readonly feed: { isReady(): boolean };
  readonly recorder: Pick<Recorder, 'record' | 'remember'>;
  readonly popularity: Popularity;
  readonly vectors?: VectorSearch | undefined;
  /** Composes the synthesis of a search that requests one. */
  readonly answerOf: (find: Find, caller: Who, request: SearchRequest) => Promise<Answer>;
  readonly settings: Pick<SearchSettings, 'popularityBoost' | 'popularityBoostWeight' | 'searchVectors'>;
}

type PublicResult = Omit<Found, 'chunks'>;

type Load<C extends CardChunk> = (tenant: TenantId, numbers: readonly number[]) => Promise<ReadonlyMap<number, C>>;

interface AnsweredQuery<C extends CardChunk> extends PublicResult {
  readonly hydrated: readonly HydratedCard<C>[];
}

export interface SearchAnswer extends PublicResult {
  readonly synthesis?: Synthesis | undefined;
}

interface SuggestionView {
  readonly suggestion: string;
  readonly viable: boolean;
  readonly cardCount: number;
}

export type SearchRequest = Omit<SearchInput, 'sessionId' | 'includeSynthesis'>;

/** Minimum number of entities requested per domain: enough for fusion and facets. */
const MIN_HITS = 24;
/** Factor of hits considered where popularity may promote them. */
const POPULAR_MARGIN = 3;
/** Maximum number of concurrent suggestion queries to the database while the index loads. */
const CONCURRENCY = 4;

const coverageOf = (hits: readonly FusedHit[]): number => Math.max(0, ...hits.map(({ coverage }) => coverage));

/** Weight of a word that only occurs in a corrected spelling. */
const GUESSED = 0.5;

/** Coverage of the best hit; corrected words count half. */
const publicCoverage = (hits: readonly FusedHit[], tokens: readonly QueryWord[]): number => {
  const counted = tokens.filter(({ kind }) => kind !== 'name');
  const complete = counted.reduce((sum, { weight }) => sum + weight, 0);
  const predictable = counted.reduce((sum, { weight, isGuessed }) => sum + (isGuessed ? weight : 0), 0);
  const share = complete > 0 ? 1 - (predictable / complete) * (1 - GUESSED) : 1;
  return Math.round(coverageOf(hits) * share * 1_000) / 1_000;
};

const msSince = (started: number): number => Math.round((performance.now() - started) * 100) / 100;

interface Gathered {
  readonly answer: LaneAnswer;
  readonly servedBy: Diagnostics['servedBy'];
  readonly intent: Intent;
  readonly wished: readonly RankedLane[];
}

export const createQuery = (options: QueryOptions) => {
  const { corpus, lane, feed, recorder, popularity, vectors, answerOf, settings, log } = options;
  const operation = searchOperations(options.operation);
  const fallback = createDatabaseSearch(options);

  const gather = async (question: LaneQuery): Promise<Gathered> => {
    const intent = readIntent(question.text);
    const query = { ...question, names: intent.names };
    if (feed.isReady())
      try {
        const [answer, granted] = await Promise.all([
          lane.search(query),
          searchRefinements((wished) => lane.search(wished), question, intent),
        ]);
        return { answer: wholeAnswer(answer, granted), servedBy: 'index', intent, wished: refinementLanes(granted) };
      } catch (error) {
        log.error({ err: error }, 'search.query: the index fails, the database answers');
      }
    return { answer: await fallback.search(query), servedBy: 'database', intent, wished: [] };
  };

  const fused = ({ answer, intent, wished }: Gathered, limit: number, others: readonly RankedLane[] = []) =>
    fuse(answer, limit, [...wished, ...others], intent.isForKnowledge);

  /** Ranked list of the nearest vectors; undefined when disabled or failed. */
  const nearest = async (
    caller: Who,
    { text, filters }: LaneQuery,
    servedBy: Gathered['servedBy'],
    coverage: number,
    hydrate: (numbers: readonly number[]) => Promise<ReadonlyMap<number, CardChunk>>,
  ): Promise<RankedLane | undefined> => {
    if (!vectors || settings.searchVectors === 'off' || servedBy === 'database') return undefined;
    if (!isWanted(vectors, coverage)) return undefined;
    try {
      const hits = await vectors.search(caller.tenant, text, MAX_VECTORS, filters);
      const chunks = await hydrate(hits.map(({ number }) => number));
      return vectorLane(hits, chunks, filters);
    } catch (error) {
      log.error({ err: error }, 'search.query: the vectors fail, words alone answer');
      return undefined;
    }
  };

  const ranked = async (caller: Who, hits: readonly FusedHit[], k: number): Promise<readonly FusedHit[]> => {
    if (!settings.popularityBoost) return hits;
    const clicks = await popularity(
      caller.tenant,
      hits.map(({ entityKey }) => entityKey),
    );
    return boosted(hits, clicks, settings.popularityBoostWeight).slice(0, k);
  };

  /** The best cards for a query, and the chunks that `load` reads for them, in one statement. */
  const answer = async <C extends CardChunk>(
    caller: Who,
    request: SearchRequest,
    load: Load<C>,
  ): Promise<AnsweredQuery<C>> => {
    const started = performance.now();
    const { k = USUAL_CARDS, includeDebug = false, typing = false } = request;
    const query = readQuery(request.q);
    const filters = filtersOf(request.filters);
    const limit = Math.max(MIN_HITS, 2 * k);
    const laneQuery: LaneQuery = { tenant: caller.tenant, text: query, filters, limit, isTyping: typing };
    const gathered = await gather(laneQuery);
    const loaded = new Map<number, C>();
    const hydrate = async (numbers: readonly number[]): Promise<ReadonlyMap<number, C>> => {
      const missing = numbers.filter((number) => !loaded.has(number));
      if (missing.length > 0)
        for (const [number, chunk] of await load(caller.tenant, missing)) loaded.set(number, chunk);
      return loaded;
    };
    const most = settings.popularityBoost ? k * POPULAR_MARGIN : k;
    const byWords = fused(gathered, most);
    const vector = await nearest(caller, laneQuery, gathered.servedBy, coverageOf(byWords.slice(0, 1)), hydrate);
    const hits = await ranked(caller, vector ? fused(gathered, most, [vector]) : byWords, k);
    await hydrate(hits.flatMap(chunkNumbersOf));
    const highlighter = highlighterOf(gathered.answer.words);
    const hydrated = hits.flatMap((hit) => cardOf(hit, loaded, highlighter) ?? []);
    return {
      hydrated,
      query,
      topK: k,
      cards: hydrated.map(({ card }) => card),
      facets: facetsOf(gathered.answer.facets),
      diagnostics: {
        mode: vector ? 'hybrid' : 'fts-only',
        usedVector: vector !== undefined,
        durationMs: msSince(started),
        servedBy: gathered.servedBy,
        coverage: publicCoverage(hits, gathered.answer.words),
        ...(includeDebug && {
          debug: {
            ...debugOf(gathered.answer),
            intent: debugOfIntent(gathered.intent),
            ...(vectors && { encoder: vectors.activeEncoder(), vectors: vectors.state?.(caller.tenant) }),
          },
        }),
      },
    };
  };

  /** Best cards with their chunks, without recording the query. @throws Fault query_required, query_too_long */
  const find: Find = async (caller, asked) => {
    const { hydrated, ...found } = await answer(caller, asked, corpus.load);
    const named = hydrated.flatMap(({ card, chunks }) =>
      chunks.map((chunk, index): [string, StoredChunk] => [card.chunkIds[index] ?? '', chunk]),
    );
    return { ...found, chunks: new Map(named) };
  };

  /** Takes note of an answer. A word that is still being written is no question yet. */
  const note = (caller: Who, { sessionId, typing = false }: SearchInput, found: PublicResult): void => {
    if (typing) return;
    const { query, cards, diagnostics } = found;
    const { mode, durationMs } = diagnostics;
    const resultCount = cards.length;
    recorder.record(caller, { kind: 'query', query, sessionId, resultCount, mode, durationMs });
    if (resultCount === 0) recorder.record(caller, { kind: 'zero_result', query, sessionId, resultCount, mode });
    recorder.remember(caller, { query, resultCount });
  };

  const search = operation({
    name: 'search.query',
    cost: 500,
    kind: 'read',
    isDetached: true,
    scope: SCOPES.operate,
    input: searchInput,
    raises: ['advisoryai.validation.query_required', 'advisoryai.validation.query_too_long'],
    example: { q: 'denial of service' },
    async run(caller, input): Promise<SearchAnswer> {
      if (input.includeSynthesis) {
        const { found, synthesis } = await answerOf(find, caller, input);
        const { chunks: _, ...hydrated } = found;
        note(caller, input, hydrated);
        return { ...hydrated, synthesis };
      }
      const { hydrated: _, ...found } = await answer(caller, input, corpus.loadCards);
      note(caller, input, found);
      return found;
    },
  });

  const suggestions = operation({
    name: 'searchSuggestions.evaluate',
    cost: 2_000,
    kind: 'read',
    isDetached: true,
    scope: SCOPES.operate,
    input: suggestionsInput,
    raises: ['advisoryai.validation.batch_too_large'],
    example: { suggestions: ['denial of service'] },
    async run(caller, { suggestions, filters }): Promise<SuggestionView[]> {
      if (suggestions.length > MAX_SUGGESTIONS)
        throw new Fault('advisoryai.validation.batch_too_large', `At most ${MAX_SUGGESTIONS} suggestions at once.`);
      const counts = new Map<string, number>();
      const texts = [...new Set(suggestions)].filter(isQuery);
      const count = async (text: string): Promise<void> => {
        const query = { tenant: caller.tenant, text, filters: filtersOf(filters), limit: USUAL_CARDS };
        counts.set(text, fused(await gather(query), USUAL_CARDS).length);
      };
      for (let index = 0; index < texts.length; index += CONCURRENCY)
        await Promise.all(texts.slice(index, index + CONCURRENCY).map(count));
      return suggestions.map((suggestion) => {
        const cardCount = counts.get(suggestion) ?? 0;
        return { suggestion, viable: cardCount > 0, cardCount };
      });
    },
  });

  return { search: withReadableInput(search, true), suggestions: withReadableInput(suggestions, false), find };
};

export type QueryService = ReturnType<typeof createQuery>;
