import { type CorpusStatistics, corpusStatisticsOf, wordsIn } from './corpus-statistics.ts';
import type { BenchDocument } from './search-documents.ts';
import { drawSome, type Random, randomOf } from './search-random.ts';

/** Seed of the queries, fixed before any tuning. */
export const QUERY_SEED = 'landfall-search-1';

export const QUERY_CLASSES = ['alias', 'package', 'masked', 'typo', 'prefix'] as const;

type QueryClass = (typeof QUERY_CLASSES)[number];

/** Query with its answers. */
export interface BenchQuery {
  readonly kind: QueryClass;
  readonly text: string;
  /** Keys of the entities that answer the query: one, or all that share an alias. */
  readonly answers: ReadonlySet<string>;
  /** Number of entities that have all words of the query before a typo or a cut; more than one makes it ambiguous. */
  readonly bearers: number;
  /** Whether the query was excluded from tuning. */
  readonly isHeldOut: boolean;
}

/** Limit of entities that share a query's words; above it the words name a family instead of one entity. */
const MAX_BEARERS = 3;
const SYMPTOM_WORDS = 2;
const MAX_MASKED_WORDS = 5;
const MIN_MASKED_WORDS = 3;
/** Shortest prefix of an unfinished word, in characters. */
const MIN_PREFIX = 3;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Document and random numbers from which a query is made. */
interface DrawnStep {
  readonly target: BenchDocument;
  readonly random: Random;
  readonly statistics: CorpusStatistics;
}

/** Package as people write it: its path or last name, without scheme, version and qualifiers. */
const packageAsWritten = ({ target, random }: DrawnStep): string | undefined => {
  if (target.packages.length === 0) return undefined;
  const path = random
    .pick(target.packages)
    .replace(/^pkg:[a-z]+\//, '')
    .replace(/[?#].*$/, '')
    .replace(/(?<=.)@[^/]*$/, '');
  const name = random.next() < 0.5 ? path : (path.split('/').at(-1) ?? path);
  return name.toLowerCase();
};

/** Draws words of a text that are neither identifiers nor packages of the document, preferring rare ones. */
const drawWords = ({ target, random, statistics }: DrawnStep, text: string, count: number): string[] => {
  const names = new Set([...target.identifiers, ...target.packages].flatMap(wordsIn));
  const words = [...new Set(statistics.significantIn(text))].filter((word) => !names.has(word));
  return drawSome(random, words, count, (word) => statistics.informationOf(word));
};

const withPackage = (drawn: DrawnStep): string | undefined => {
  const name = packageAsWritten(drawn);
  const results = drawWords(drawn, `${drawn.target.title} ${drawn.target.body}`, SYMPTOM_WORDS);
  return name && results.length === SYMPTOM_WORDS ? [name, ...results].join(' ') : undefined;
};

/** Three to five words of the title, but not all unless it is short. */
const maskedTitle = (drawn: DrawnStep): string | undefined => {
  const { random, target } = drawn;
  const size = MIN_MASKED_WORDS + random.below(MAX_MASKED_WORDS - MIN_MASKED_WORDS + 1);
  const results = drawWords(drawn, target.title, size);
  return results.length < MIN_MASKED_WORDS ? undefined : results.join(' ');
};

const either = (drawn: DrawnStep): string | undefined =>
  drawn.random.next() < 0.5 ? withPackage(drawn) : maskedTitle(drawn);

/** Changes, omits, inserts or swaps one letter of a word. */
const misspell = (random: Random, word: string): string => {
  const at = random.below(word.length);
  const letter = random.pick([...LETTERS].filter((one) => one !== word[at]));
  const [before, own, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
  const swapped = `${before}${after.slice(0, 1)}${own}${after.slice(1)}`;
  const forms = [`${before}${letter}${after}`, `${before}${after}`, `${before}${letter}${own}${after}`, swapped];
  return random.pick(forms.filter((form) => form !== word));
};

const withTypo = ({ random }: DrawnStep, text: string): string | undefined => {
  const words = text.split(' ');
  const wordIndexes = words.flatMap((word, index) => (/^[a-z]{4,}$/.test(word) ? [index] : []));
  if (wordIndexes.length === 0) return undefined;
  const wordIndex = random.pick(wordIndexes);
  return words.map((word, index) => (index === wordIndex ? misspell(random, word) : word)).join(' ');
};

const cut = ({ random }: DrawnStep, text: string): string | undefined => {
  const last = text.split(' ').at(-1) ?? '';
  if (!/^[a-z]{4,}$/.test(last)) return undefined;
  const remaining = MIN_PREFIX + random.below(last.length - MIN_PREFIX);
  return text.slice(0, text.length - last.length + remaining);
};

const aliasOf = ({ target, random }: DrawnStep): string | undefined => {
  if (target.identifiers.length === 0) return undefined;
  const alias = random.pick(target.identifiers);
  return random.next() < 0.5 ? alias : alias.toLowerCase();
};

/** Query text by class, and its words before a typo or a cut. */
const WRITE: Readonly<
  Record<QueryClass, (drawn: DrawnStep) => { text: string | undefined; meant: string | undefined }>
> = {
  alias: (drawn) => {
    const text = aliasOf(drawn);
    return { text, meant: text };
  },
  package: (drawn) => {
    const text = withPackage(drawn);
    return { text, meant: text };
  },
  masked: (drawn) => {
    const text = maskedTitle(drawn);
    return { text, meant: text };
  },
  typo: (drawn) => {
    const expected = either(drawn);
    return { text: expected && withTypo(drawn, expected), meant: expected };
  },
  prefix: (drawn) => {
    const expected = either(drawn);
    return { text: expected && cut(drawn, expected), meant: expected };
  },
};

/** Builds a query of one class about a document; undefined if the document does not allow it. */
const queryOf = (kind: QueryClass, drawn: DrawnStep): Omit<BenchQuery, 'isHeldOut'> | undefined => {
  const { text, meant: expected } = WRITE[kind](drawn);
  if (!text || !expected) return undefined;
  if (kind === 'alias') return { kind, text, answers: drawn.statistics.entitiesOfName(text), bearers: 1 };
  const bearers = drawn.statistics.entitiesOf(expected);
  if (bearers > MAX_BEARERS) return undefined;
  return { kind, text, answers: new Set([drawn.target.entityKey]), bearers };
};

/**
 * Draws the same number of queries of every class, every second one held out. Documents are drawn from all; one that
 * does not allow the class (no such identifier, too few or too common words) is drawn again.
 */
export const drawQueries = (
  documents: readonly BenchDocument[],
  perClass: number,
  seed: string = QUERY_SEED,
): BenchQuery[] => {
  const statistics = corpusStatisticsOf(documents);
  return QUERY_CLASSES.flatMap((kind) => {
    const random = randomOf(`${seed} ${kind}`);
    const queries: BenchQuery[] = [];
    while (queries.length < perClass) {
      const query = queryOf(kind, { target: random.pick(documents), random, statistics });
      if (query) queries.push({ ...query, isHeldOut: queries.length % 2 === 1 });
    }
    return queries;
  });
};
