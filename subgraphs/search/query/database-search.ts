import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { DomainHits, LaneAnswer, LaneFilters, LaneHit, LaneQuery } from '../fts/lane.ts';
import { DOMAINS, type Domain } from '../shared/domains.ts';
import { wordsOf as readWords } from '../text/tokens.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import {
  type Candidate,
  limitTime,
  listByTerms,
  listConditions,
  listNamed,
  type QueryToken,
} from './database-search.store.ts';

/** Time limit of a statement in milliseconds, to protect the database while the index is cold. */
const MAX_MS = 2_000;
/** Maximum number of concurrent searches, since loading the index uses the same few connections. */
const CONCURRENCY = 2;
const MAX_WAITING = 100;
const MAX_WAITING_PER_TENANT = 20;
const MAX_WORDS = 32;
const MAX_WORD_LENGTH = 200;

const BLANKS = /\s+/u;
const EDGES = /^[\s"'`([{<.,;:!?]+|[\s"'`)\]}>.,;:!?]+$/gu;
/** Words that may be identifiers: with a digit or a joining character. */
const NAMING = /[\p{N}\p{Pd}_./:@]/u;
const GHSA = /^ghsa-/i;
const PLAIN_WORD = /^[\p{L}\p{N}]+$/u;

const wordsOf = (text: string): string[] =>
  text
    .split(BLANKS)
    .map((word) => word.replace(EDGES, '').slice(0, MAX_WORD_LENGTH))
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);

/** A name as sources may have written it: identifiers are compared as they are. */
const variants = (word: string): string[] => [
  word,
  word.toUpperCase(),
  word.toLowerCase(),
  ...(GHSA.test(word) ? [`GHSA-${word.slice(5).toLowerCase()}`] : []),
];

const namesOf = (words: readonly string[]): string[] => [
  ...new Set(words.filter((word) => NAMING.test(word)).flatMap(variants)),
];

const prefixesOf = (words: readonly string[], isTyping: boolean): QueryToken[] =>
  words.map((word, index) => ({
    word,
    prefix: isTyping && index === words.length - 1 && PLAIN_WORD.test(word) ? `${word}:*` : undefined,
  }));

/** Best hit of each entity, best first. */
const hitsOf = (found: readonly Candidate[], limit: number): LaneHit[] =>
  [...Map.groupBy(found, ({ entityKey }) => entityKey)].slice(0, limit).flatMap(([entityKey, [best, ...others]]) =>
    best
      ? {
          number: best.chunkId,
          entityKey,
          score: best.rank,
          coverage: best.coverage,
          others: others.slice(0, 2).map(({ chunkId }) => chunkId),
        }
      : [],
  );

const byDomain = (found: readonly Candidate[], limit: number): DomainHits[] => {
  const groups = Map.groupBy(found, ({ domain }) => domain);
  return DOMAINS.flatMap((domain) => {
    const hits = hitsOf(groups.get(domain) ?? [], limit);
    return hits.length > 0 ? { domain, hits } : [];
  });
};

const counted = (found: readonly Candidate[], of: (candidate: Candidate) => string | null): Record<string, number> => {
  const entities = new Map<string, Set<string>>();
  for (const candidate of found) {
    const value = of(candidate);
    if (value === null) continue;
    const known = entities.get(value) ?? new Set();
    entities.set(value, known.add(candidate.entityKey));
  }
  return Object.fromEntries([...entities].map(([value, { size }]) => [value, size]));
};

const facetsOf = (found: readonly Candidate[], limit: number): LaneAnswer['facets'] => {
  const perDomain = new Map<Domain, Map<string, Candidate>>();
  for (const candidate of found) {
    const known = perDomain.get(candidate.domain) ?? new Map<string, Candidate>();
    perDomain.set(candidate.domain, known);
    if (!known.has(candidate.entityKey) && known.size < limit) known.set(candidate.entityKey, candidate);
  }
  const best = [...perDomain.values()].flatMap((known) => [...known.values()]);
  return {
    domain: counted(best, ({ domain }) => domain),
    severity: counted(best, ({ severity }) => severity),
    ecosystem: counted(best, ({ ecosystem }) => ecosystem),
    entityType: counted(best, ({ entityType }) => entityType),
  };
};

const isOverdue = (error: unknown): boolean => error instanceof Fault && error.code === 'SYS_DATABASE_ERROR';

const deduplicated = (found: readonly Candidate[]): Candidate[] =>
  [...new Map(found.toReversed().map((candidate) => [candidate.chunkId, candidate])).values()].reverse();

/** Creates the search in PostgreSQL, used while the index loads or fails, with the same form of answers. */
export const createDatabaseSearch = ({ database, log }: Pick<Deps, 'database' | 'log'>) => {
  const limited = createConcurrencyLimit({
    maxRunning: CONCURRENCY,
    maxQueued: MAX_WAITING,
    maxQueuedEach: MAX_WAITING_PER_TENANT,
  });

  /**
   * Queries as the system role with an explicit tenant: under row-level security PostgreSQL does not use the text
   * index. Shown chunks are read as the tenant's role.
   */
  const ask = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.system.write(async (tx) => {
      await limitTime(tx, MAX_MS);
      return work(tx);
    });

  const orAny = async (tenant: string, words: readonly string[], filters: LaneFilters): Promise<Candidate[]> => {
    try {
      return await ask((tx) => listByTerms(tx, tenant, words, 'any', filters));
    } catch (error) {
      if (!isOverdue(error)) throw error;
      log.warn({ err: error }, 'search.cold: too many chunks have one of the words to rank them in time');
      return [];
    }
  };

  const search = async (query: LaneQuery): Promise<LaneAnswer> => {
    const { tenant, text, filters = {}, limit, isTyping = false, names: overrides = [] } = query;
    const started = performance.now();
    const tokens = wordsOf(text);
    const names = [...namesOf(tokens), ...overrides];
    const [named, conditions] = await ask(async (tx) => [
      names.length > 0 ? await listNamed(tx, tenant, names, filters) : [],
      await listConditions(tx, prefixesOf(tokens, isTyping)),
    ]);
    const all = conditions.length > 0 ? await ask((tx) => listByTerms(tx, tenant, conditions, 'all', filters)) : [];
    // With one word, a document that has any of the words has all of them.
    const isEnough = all.length >= limit || conditions.length < 2;
    const any = isEnough ? [] : await orAny(tenant, conditions, filters);
    const found = deduplicated([...all, ...any]);
    return {
      exact: byDomain(named, limit),
      domains: byDomain(found, limit),
      words: readWords(text),
      facets: facetsOf(deduplicated([...named, ...found]), limit),
      elapsedMs: performance.now() - started,
    };
  };

  /** @throws Fault SYS_DATABASE_ERROR past its time */
  return { search: (query: LaneQuery) => limited(query.tenant, () => search(query)) };
};

export type DatabaseSearch = ReturnType<typeof createDatabaseSearch>;
