import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import type { BenchDocument } from './search-documents.ts';

/** Search engine that answers queries with entities. */
export interface Candidate {
  readonly name: string;
  /** Keys of entities, best first, without duplicates. */
  search(text: string, limit: number): Promise<readonly string[]> | readonly string[];
}

/** Fields of a document for every engine. */
const fieldsOf = ({ identifiers, packages, title, body }: BenchDocument) => ({
  identifiers: [...identifiers, ...packages].join(' '),
  title,
  body,
});

/** First keys without duplicates: peers return documents, but are judged by entities like the product. */
const firstOf = (keys: Iterable<string>, limit: number): string[] => {
  const first = new Set<string>();
  for (const key of keys) {
    first.add(key);
    if (first.size === limit) break;
  }
  return [...first];
};

const IDENTIFIER = /[a-z0-9]+(?:[-./@:][a-z0-9]+)+/g;

/** Tokenises like MiniSearch, and adds whole identifiers, without which MiniSearch rarely finds aliases. */
const tokenize = (text: string): string[] => {
  const lower = text.toLowerCase();
  return [...lower.split(/[\n\r\p{Z}\p{P}]+/u), ...(lower.match(IDENTIFIER) ?? [])].filter((word) => word !== '');
};

const FIELDS = ['identifiers', 'title', 'body'];

const fill = (index: MiniSearch, documents: readonly BenchDocument[]): MiniSearch => {
  index.addAll(documents.map((document, id) => ({ id, ...fieldsOf(document) })));
  return index;
};

/** Builds MiniSearch with default options: fastest to build, but worse at aliases and names than the judged one. */
export const buildPlainMiniSearch = (documents: readonly BenchDocument[]): MiniSearch =>
  fill(new MiniSearch({ fields: FIELDS }), documents);

/** Builds MiniSearch with the options that performed best on the queries that are not held out. */
export const buildMiniSearch = (documents: readonly BenchDocument[]): MiniSearch => {
  const index = new MiniSearch({
    fields: FIELDS,
    tokenize,
    searchOptions: {
      boost: { identifiers: 3, title: 2 },
      prefix: (_term, at, terms) => at === terms.length - 1,
      fuzzy: (term) => (/^[a-z]{4,}$/.test(term) ? 0.2 : false),
    },
  });
  return fill(index, documents);
};

export const miniSearchOf = (documents: readonly BenchDocument[]): Candidate => {
  const index = buildMiniSearch(documents);
  return {
    name: 'MiniSearch',
    search: (text, limit) =>
      firstOf(
        index.search(text).map(({ id }) => documents[Number(id)]?.entityKey ?? ''),
        limit,
      ),
  };
};

/**
 * Builds an FTS5 expression: a quoted phrase for each word, so that `CVE-2024-1` is matched in order; the last word as
 * a prefix.
 */
const matchOf = (text: string): string => {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words
    .map((word, index) => `"${word.replaceAll('"', '')}"${index === words.length - 1 ? '*' : ''}`)
    .join(' OR ');
};

/**
 * Builds SQLite FTS5 in memory, without stemmer, which finds less here, ranked by bm25 with the product's field
 * weights.
 */
export const fts5Of = (documents: readonly BenchDocument[]): Candidate & Disposable => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `create virtual table documents using fts5(identifiers, title, body, tokenize = 'unicode61 remove_diacritics 2')`,
  );
  const insert = database.prepare('insert into documents (rowid, identifiers, title, body) values (?, ?, ?, ?)');
  database.exec('begin');
  for (const [at, document] of documents.entries()) {
    const { identifiers, title, body } = fieldsOf(document);
    insert.run(at, identifiers, title, body);
  }
  database.exec('commit');
  const select = database.prepare(
    'select rowid from documents where documents match ? order by bm25(documents, 6.0, 3.0, 1.0)',
  );
  const keysOf = function* (text: string): Generator<string> {
    for (const row of select.iterate(matchOf(text))) yield documents[Number(row.rowid)]?.entityKey ?? '';
  };
  return {
    name: 'SQLite FTS5',
    search: (text, limit) => firstOf(keysOf(text), limit),
    [Symbol.dispose]: () => database.close(),
  };
};
