import { chunkIdOf, type StoredChunk } from '../corpus/chunk.ts';
import type { Card, Found, Sentence } from '../query/card.ts';
import { isContent, stem, wordsOf } from './lexicon.ts';
import { labelled, line, reasonsIn, splitSentences } from './prose.ts';

const isChunk = (chunk: StoredChunk | undefined): chunk is StoredChunk => chunk !== undefined;

export const chunksOf = ({ chunks }: Pick<Found, 'chunks'>, cards: readonly Card[]): StoredChunk[] =>
  cards.flatMap(({ chunkIds }) => chunkIds.map((id) => chunks.get(id))).filter(isChunk);

const TITLE_LENGTH = 240;
const MAX_EXCERPT_LENGTH = 320;

/** Cut after a whole word, with the sign that something is missing. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const end = text.lastIndexOf(' ', max);
  return `${text.slice(0, end > max / 2 ? end : max).replace(/[\ud800-\udbff]$/u, '')}…`;
};

/** Upper bound of the characters of a chunk that are examined; no well-formed source is longer. */
const READ = 24_000;
const READ_OF_ONE = 8_000;
const MAX_LINES = 50;

/** Texts within a JSON value, in order, up to a total length and a maximum depth. */
const leavesOf = (value: unknown): string[] => {
  const leaves: string[] = [];
  let available = READ;
  const gather = (each: unknown, depth: number): void => {
    if (available <= 0 || each === undefined || each === null || depth > 16) return;
    if (typeof each !== 'object') {
      const text = String(each).slice(0, Math.min(available, READ_OF_ONE));
      available -= text.length + 1;
      leaves.push(text);
      return;
    }
    for (const member of Object.values(each)) {
      if (available <= 0) return;
      gather(member, depth + 1);
    }
  };
  gather(value, 0);
  return leaves;
};

/** Texts of a chunk, raw and as shown, names first; for containment checks. */
export const textsOf = ({
  title,
  body,
  identifiers,
  packages,
  severity,
  ecosystem,
  attributes,
}: StoredChunk): string[] =>
  leavesOf([identifiers, title, packages, severity, ecosystem, body, attributes]).flatMap((text) => {
    const visible = line(text);
    return visible === text ? [text] : [text, visible];
  });

/** Text without a full stop at its end, unless it was shortened. */
const withoutEnd = (text: string): string => text.replace(/[\s.;:,]+$/u, '');

export const titleOf = ({ title }: StoredChunk): string => withoutEnd(cut(line(title), TITLE_LENGTH));

export const nameText = (text: string): string => cut(line(text), TITLE_LENGTH);

/** Sentences to quote; of documentation, which contains commands, prose alone. */
const quotableTexts = ({ body, domain }: StoredChunk): string[] => {
  const all = splitSentences(body);
  const prose = all.filter(({ isProse }) => isProse);
  return (prose.length > 0 || domain === 'knowledge' ? prose : all).map(({ text }) => text);
};

/** First of a chunk's sentences with the most of the stems `queryTerms`; empty if it has no sentences. */
export const pickExcerpt = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): string => {
  const hitsIn = (passage: string): number => new Set(wordsOf(passage).map(stem)).intersection(queryTerms).size;
  const scored = quotableTexts(chunk).map((passage) => ({ passage, hits: hitsIn(passage) }));
  const best = scored.reduce((top, each) => (each.hits > top.hits ? each : top), scored[0] ?? { passage: '', hits: 0 });
  return withoutEnd(cut(best.passage, MAX_EXCERPT_LENGTH));
};

/** Text after a label: `Cause: …`. */
export const labelledText = ({ body }: StoredChunk, label: string): string | undefined => {
  const text = labelled(body, label);
  return text === undefined || text === '' ? undefined : cut(text, MAX_EXCERPT_LENGTH);
};

/** Last lines of a chunk's timeline that state a reason. */
export const reasonLinesOf = ({ body }: StoredChunk, most: number): string[] =>
  reasonsIn(body)
    .slice(-most)
    .map((text) => cut(text, MAX_EXCERPT_LENGTH));

export const contentTermsOf = (query: string): string[] => [...new Set(wordsOf(query).filter(isContent))];

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

export const attributeTexts = ({ attributes = {} }: StoredChunk, ...names: readonly string[]): string[] =>
  names
    .flatMap((name) => [attributes[name]].flat().slice(0, MAX_LINES))
    .map((value) => (typeof value === 'number' ? String(value) : value))
    .filter(isText)
    .map((text) => cut(line(text), MAX_EXCERPT_LENGTH));

/** Joins words: `a`, `a and b`, `a, b and others`; a count would be a figure that no document has. */
export const listed = (items: readonly string[], most = 4): string => {
  const unique = [...new Set(items)];
  const all = unique.length > most ? [...unique.slice(0, most), 'others'] : unique;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
};

export const sentence = (text: string, ...chunks: readonly StoredChunk[]): Sentence => ({
  text: /[.…!?]$/u.test(text) ? text : `${text}.`,
  citations: [...new Set(chunks.map(chunkIdOf))],
});
