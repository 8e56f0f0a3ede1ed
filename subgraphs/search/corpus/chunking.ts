import type { Chunk } from './chunk.ts';

/** Length in UTF-16 units from which a part ends at the next paragraph. */
const TARGET_LENGTH = 2_000;
const MAX_CHUNK_LENGTH = 4_000;

/** Boundaries in order of preference: paragraph, line, sentence, word. */
const BOUNDARIES: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?]["')\]]*\s/g, /\s/g];

const lastBoundary = (text: string, cut: RegExp): number | undefined => {
  const window = text.slice(TARGET_LENGTH, MAX_CHUNK_LENGTH);
  const last = [...window.matchAll(cut)].at(-1);
  return last && TARGET_LENGTH + last.index + last[0].length;
};

/** A surrogate pair stays whole. */
const wholeCharacter = (text: string, index: number): number => {
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
};

const boundaryOf = (text: string): number => {
  for (const cut of BOUNDARIES) {
    const at = lastBoundary(text, cut);
    if (at !== undefined) return at;
  }
  return wholeCharacter(text, MAX_CHUNK_LENGTH);
};

/** Splits a text into parts of 2,000 to 4,000 characters, at paragraphs where possible. */
const splitText = (text: string): string[] => {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MAX_CHUNK_LENGTH) {
    const at = boundaryOf(rest);
    const part = rest.slice(0, at).trimEnd();
    if (part !== '') parts.push(part);
    rest = rest.slice(at).replace(/^\s+/, '');
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
};

/** Splits a document of one chunk; each part repeats the title. Chunks of a split document are returned as they are. */
export const splitChunk = (chunk: Chunk): readonly Chunk[] =>
  chunk.part !== 0 || chunk.body.length <= MAX_CHUNK_LENGTH
    ? [chunk]
    : splitText(chunk.body).map((body, part) => ({ ...chunk, part, body }));
