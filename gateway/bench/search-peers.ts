import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import type { BenchDocument } from './search-documents.ts';

/** Something that answers queries with entities. */
export interface Contender {
  readonly name: string;
  /** Keys of entities, the best first, each once. */
  search(text: string, limit: number): Promise<readonly string[]> | readonly string[];
}

/** As every engine reads a document: three fields. */
const fieldsOf = ({ identifiers, packages, title, body }: BenchDocument) => ({
  identifiers: [...identifiers, ...packages].join(' '),
  title,
  body,
});

/** The first keys, each once: peers answer with documents, and are judged by entities as we are. */
const firstOf = (keys: Iterable<string>, limit: number): string[] => {
  const first = new Set<string>();
  for (const key of keys) {
    first.add(key);
    if (first.size === limit) break;
  }
  return [...first];
};

const IDENTIFIER = /[a-z0-9]+(?:[-./@:][a-z0-9]+)+/g;

/** Words as MiniSearch splits them, and names whole beside their parts: without those it finds aliases badly. */
const tokenize = (text: string): string[] => {
  const lower = text.toLowerCase();
  return [...lower.split(/[\n\r\p{Z}\p{P}]+/u), ...(lower.match(IDENTIFIER) ?? [])].filter((word) => word !== '');
};

const FIELDS = ['identifiers', 'title', 'body'];

const fill = (index: MiniSearch, documents: readonly BenchDocument[]): MiniSearch => {
  index.addAll(documents.map((document, id) => ({ id, ...fieldsOf(document) })));
  return index;
};

/** As it comes, which it builds fastest; it finds aliases and names worse than the one that is judged. */
export const buildPlainMiniSearch = (documents: readonly BenchDocument[]): MiniSearch =>
  fill(new MiniSearch({ fields: FIELDS }), documents);

/** As it finds best of what was tried on the half of the questions that is not held out. */
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

export const miniSearchOf = (documents: readonly BenchDocument[]): Contender => {
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

/** One quoted phrase a word, so that `CVE-2024-1` is its parts in a row; the last as it may go on. */
const matchOf = (text: string): string => {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.map((word, at) => `"${word.replaceAll('"', '')}"${at === words.length - 1 ? '*' : ''}`).join(' OR ');
};

/** SQLite's FTS5 in memory, unstemmed since its stemmer finds less here, ranked by its bm25 with our fields' weights. */
export const fts5Of = (documents: readonly BenchDocument[]): Contender & Disposable => {
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
