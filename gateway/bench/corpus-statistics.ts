import type { BenchDocument } from './search-documents.ts';

/** Splits text into runs of letters and digits, in lower case: the tokenizer of no engine, so that none is favoured. */
export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Words that are too common to be searched for. */
const EMPTY = new Set(
  `the and for with that this from are was not but can may has have had its into when which who via been being will
   would could should does did any all one more than then there their they them these those such some other also only
   about after before because between both each how what where while you your our out over under using use used`.split(
    /\s+/,
  ),
);

/** Statistics of a corpus, for drawing queries. */
export interface CorpusStatistics {
  /** Lists words of three or more letters worth searching for, unchanged. */
  significantIn(text: string): string[];
  /** Inverse document frequency of a word among entities. */
  informationOf(word: string): number;
  /** Number of entities that have every word of the text, in any of their documents. */
  entitiesOf(text: string): number;
  /** Keys of the entities with this name. */
  entitiesOfName(name: string): ReadonlySet<string>;
}

const isSignificant = (word: string): boolean => /^[a-z][a-z_]{2,}$/.test(word) && !EMPTY.has(word);

const intersectionOf = (lists: readonly ReadonlySet<number>[]): number => {
  const [least, ...others] = lists.toSorted((a, b) => a.size - b.size);
  if (!least) return 0;
  let count = 0;
  for (const entity of least) if (others.every((other) => other.has(entity))) count++;
  return count;
};

/** Computes the statistics of a corpus: words and names by entity. */
export const corpusStatisticsOf = (documents: readonly BenchDocument[]): CorpusStatistics => {
  const entities = new Map<string, number>();
  const bearers = new Map<string, Set<number>>();
  const named = new Map<string, Set<string>>();
  for (const { entityKey, identifiers, packages, title, body } of documents) {
    const entity = entities.getOrInsert(entityKey, entities.size);
    for (const word of wordsIn([title, body, ...packages].join(' '))) {
      bearers.getOrInsertComputed(word, () => new Set()).add(entity);
    }
    for (const name of identifiers) {
      named.getOrInsertComputed(name.toLowerCase(), () => new Set()).add(entityKey);
    }
  }
  return {
    significantIn: (text) => (text.toLowerCase().match(/[a-z0-9_]+/g) ?? []).filter(isSignificant),
    // A compound such as `not_affected` carries as much as the rarer of its words.
    informationOf: (word) =>
      Math.max(...wordsIn(word).map((part) => Math.log(1 + entities.size / (bearers.get(part)?.size ?? 1)))),
    entitiesOf: (text) => intersectionOf(wordsIn(text).map((word) => bearers.get(word) ?? new Set())),
    entitiesOfName: (name) => named.get(name.toLowerCase()) ?? new Set(),
  };
};
