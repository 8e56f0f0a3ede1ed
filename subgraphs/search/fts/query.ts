import { DOMAINS, type Domain } from '../shared/domains.ts';
import { KIND, ROLE } from '../text/analyser.ts';
import { exactNamesOf, exactTermsOf } from '../text/exact-names.ts';
import type { QueryWord } from '../text/tokens.ts';
import { idf } from './bm25f.ts';
import { countFacets } from './facets.ts';
import type { LaneAnswer, LaneQuery } from './lane.ts';
import type { LiveSegment } from './live-segment.ts';
import { decodeTerm, encodeTerm, type QueryTerm, readQueryTerms } from './query-terms.ts';
import { DomainSearch, type ExactName, filterOf } from './search-domain.ts';
import {
  documentsIn,
  frequencyIn,
  groupOf,
  type TermGroup,
  type TermStatistics,
  termStatisticsOf,
  withinBudget,
  withoutCamelParts,
} from './term-groups.ts';

/** Segments that a tenant may see, by domain. */
export type Visible = ReadonlyMap<Domain, readonly LiveSegment[]>;

/** A query's word with what all domains know of it. */
interface WeighedWord extends TermStatistics {
  readonly weight: number;
  readonly terms: Set<string>;
}

const DIGEST_PREFIX = /^[0-9a-f]{12,}$/;

/** The names that a query may mean exactly: its identifiers, its names, and all of it. */
const ownNames = (query: string, terms: readonly QueryTerm[]): ExactName[] => {
  const named = terms
    .filter(({ kind, role }) => kind === KIND.identifier || (kind === KIND.name && role !== ROLE.identifierPart))
    .map(({ text }) => ({ term: encodeTerm(KIND.exact, text), isPrefix: DIGEST_PREFIX.test(text) }));
  const complete = exactNamesOf(query).length > 0 ? exactTermsOf(query) : [];
  return [...named, ...complete.map((term) => ({ term, isPrefix: false }))];
};

const statisticsOf = (terms: readonly QueryTerm[], visible: Visible): TermStatistics[] => {
  const all = [...visible.values()].flat();
  const frequencies = new Map(terms.map((queryTerm) => [queryTerm, frequencyIn(all, queryTerm.term)]));
  const foundTerms = withoutCamelParts(terms, (term) => (frequencies.get(term) ?? 0) > 0);
  return foundTerms.map((queryTerm) =>
    termStatisticsOf(queryTerm, frequencies.get(queryTerm) ?? 0, foundTerms.length === 1),
  );
};

/** Inverse document frequency over all domains, by the most frequent form of the word. */
const weightOf = (documents: number, groups: readonly TermGroup[], { frequency }: TermStatistics): number => {
  const expected = groups.reduce(
    (sum, { members }) => sum + members.reduce((most, member) => Math.max(most, member.frequency), 0),
    0,
  );
  return idf(documents, Math.min(documents, Math.max(frequency, expected)));
};

/** Parts of a name count towards coverage; the whole name only adds to the score. */
const isCounted = ({ asked: queryTerm }: TermStatistics): boolean =>
  !(queryTerm.kind === KIND.name && queryTerm.role === ROLE.whole);

const KIND_NAMES = ['word', 'identifier', 'name', 'name'] as const;

/** An unfinished word is completed, which is no guess. */
const isGuessed = ({ asked: queryTerm, frequency, terms }: WeighedWord, { isTyping }: LaneQuery): boolean =>
  frequency === 0 && queryTerm.kind === KIND.word && terms.size > 0 && !(isTyping === true && queryTerm.isOpen);

const wordOf = (word: WeighedWord, query: LaneQuery): QueryWord => {
  const { asked: queryTerm, weight, terms } = word;
  const written = query.text.slice(queryTerm.start, queryTerm.end) || decodeTerm(queryTerm.written);
  return {
    word: queryTerm.kind === KIND.identifier ? queryTerm.text : written,
    kind: KIND_NAMES[queryTerm.kind],
    terms: [...terms],
    weight,
    ...(isGuessed(word, query) && { isGuessed: true }),
  };
};

/** Answers a query from the segments visible to its tenant. */
export const answerQuery = (query: LaneQuery, visible: Visible, elapsedMs: () => number): LaneAnswer => {
  const terms = readQueryTerms(query.text);
  const known = statisticsOf(terms, visible);
  const groupsOf = new Map(
    DOMAINS.flatMap((domain) => {
      const segments = visible.get(domain);
      return segments ? [[domain, known.map((one) => groupOf(segments, one, query.isTyping === true))] as const] : [];
    }),
  );
  const documents = documentsIn([...visible.values()].flat());
  const tokens = known.map((one, i): WeighedWord => {
    const groups = [...groupsOf.values()].flatMap((all) => all[i] ?? []);
    const matchedTerms = groups.flatMap(({ members }) => members.map(({ text }) => text));
    return { ...one, weight: weightOf(documents, groups, one), terms: new Set(matchedTerms) };
  });
  const weights = new Map(tokens.map((word) => [word.asked, isCounted(word) ? word.weight : 0]));
  const complete = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const isListing = query.isListing === true && terms.length === 0;
  const exactNames = (query.names ?? []).flatMap(exactTermsOf).map((term) => ({ term, isPrefix: false }));
  const own = [...ownNames(query.text, terms), ...exactNames];
  const searches = [...groupsOf].flatMap(([domain, all]) => {
    if (query.filters?.domains && !query.filters.domains.includes(domain)) return [];
    const segments = visible.get(domain) ?? [];
    const groups = withinBudget(all);
    const filters = segments.map(({ segment }) => filterOf(segment, query.filters) ?? (() => true));
    const isFiltered = query.filters?.severity ?? query.filters?.ecosystem ?? query.filters?.entityType;
    const search = { segments, groups, filters: isFiltered ? filters : undefined };
    const weight = groups.map(({ asked: queryTerm }) => weights.get(queryTerm) ?? 0);
    return [{ segments, search: new DomainSearch(domain, search, { weights: weight, whole: complete, isListing }) }];
  });
  const found = searches.map(({ segments, search }) => ({
    segments,
    search,
    best: search.best(query.limit, query.isExhaustive === true),
    named: search.named(own, query.limit),
  }));
  return {
    exact: found.flatMap(({ search, named }) => (named.length > 0 ? [search.hits(named)] : [])),
    domains: found.flatMap(({ search, best }) => (best.length > 0 ? [search.hits(best)] : [])),
    words: tokens.map((word) => wordOf(word, query)),
    facets: countFacets(found.map(({ search, segments, best }) => ({ domain: search.domain, segments, best }))),
    elapsedMs: elapsedMs(),
  };
};
