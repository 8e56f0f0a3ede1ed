import { chunkIdOf, type StoredChunk } from '../corpus/chunk.ts';
import { isContent, wordsOf } from './words.ts';

/** A sentence and what it rests on. */
export interface Sentence {
  readonly text: string;
  /** Chunk ids. */
  readonly citations: readonly string[];
}

/** Marks that turn the direction of writing could make a quotation read as something else. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const MARKUP = /^#{1,6}\s+|\*\*|`+|^\s*[-*]\s+/gmu;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/gu;

const TITLE_LENGTH = 240;
const PASSAGE_LENGTH = 320;

/** Cut after a whole word, with the sign that something is missing. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const end = text.lastIndexOf(' ', max);
  return `${text.slice(0, end > max / 2 ? end : max).replace(/[\ud800-\udbff]$/u, '')}…`;
};

/** One line without markup or signs that are not seen; its words are those of the source. */
const line = (text: string): string =>
  text.replace(MARKUP, '').replace(LINK, '$1').replace(UNSEEN, ' ').replace(/\s+/gu, ' ').trim();

const leavesOf = (value: unknown): string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return value === undefined || value === null ? [] : [String(value)];
};

/** Everything a chunk says, as it is written and as it is shown, for asking whether it says something. */
export const textsOf = ({
  title,
  body,
  identifiers,
  packages,
  severity,
  ecosystem,
  attributes,
}: StoredChunk): string[] =>
  leavesOf([title, body, identifiers, packages, severity, ecosystem, attributes]).flatMap((text) => [text, line(text)]);

/** A text as a sentence's end: no full stop of its own, unless it was cut. */
const unended = (text: string): string => text.replace(/[\s.;:,]+$/u, '');

export const titleOf = ({ title }: StoredChunk): string => unended(cut(line(title), TITLE_LENGTH));

/** The sentence of a chunk's body that has most of `asked`; the first of those. Nothing if there is no body. */
export const passageOf = ({ body }: StoredChunk, asked: ReadonlySet<string>): string => {
  const passages = line(body).split(/(?<=[.!?])\s+(?=\p{Lu}|\p{N}|["'(])/u);
  const scored = passages.map((passage) => ({
    passage,
    hits: new Set(wordsOf(passage).filter((word) => asked.has(word))).size,
  }));
  const best = scored.reduce((top, each) => (each.hits > top.hits ? each : top), scored[0] ?? { passage: '', hits: 0 });
  return unended(cut(best.passage, PASSAGE_LENGTH));
};

/** The words of a query that say something. */
export const askedOf = (query: string): string[] => [...new Set(wordsOf(query).filter(isContent))];

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** What an attribute says, as a list of lines; nothing where it is absent or no text. */
export const said = ({ attributes = {} }: StoredChunk, ...names: readonly string[]): string[] =>
  names
    .flatMap((name) => [attributes[name]].flat())
    .map((value) => (typeof value === 'number' ? String(value) : value))
    .filter(isText)
    .map((text) => cut(line(text), PASSAGE_LENGTH));

/** `a`, `a and b`, `a, b and others`: a count would be a figure that no document has. */
export const listed = (items: readonly string[], most = 4): string => {
  const unique = [...new Set(items)];
  const all = unique.length > most ? [...unique.slice(0, most), 'others'] : unique;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
};

/** A sentence about chunks. */
export const sentence = (text: string, ...chunks: readonly StoredChunk[]): Sentence => ({
  text: /[.…!?]$/u.test(text) ? text : `${text}.`,
  citations: [...new Set(chunks.map(chunkIdOf))],
});
