import type { Chunk } from './chunk.ts';

/** A part is cut where a paragraph ends once it is this long, in UTF-16 units. */
const ENOUGH = 2_000;
/** No part is longer. */
export const LONGEST_PART = 4_000;

/** Where a text may be cut, the best first: after a paragraph, a line, a sentence, a word. */
const CUTS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?]["')\]]*\s/g, /\s/g];

/** The last place from ENOUGH on at which a cut of this kind is possible. */
const lastCut = (text: string, cut: RegExp): number | undefined => {
  const window = text.slice(ENOUGH, LONGEST_PART);
  const last = [...window.matchAll(cut)].at(-1);
  return last && ENOUGH + last.index + last[0].length;
};

/** A surrogate pair stays whole. */
const wholeCharacter = (text: string, at: number): number => {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
};

const cutOf = (text: string): number => {
  for (const cut of CUTS) {
    const at = lastCut(text, cut);
    if (at !== undefined) return at;
  }
  return wholeCharacter(text, LONGEST_PART);
};

/** A long text in pieces of 2,000 to 4,000 characters that end with a paragraph where that is possible; the last is shorter. */
export const splitText = (text: string): string[] => {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_PART) {
    const at = cutOf(rest);
    const part = rest.slice(0, at).trimEnd();
    if (part !== '') parts.push(part);
    rest = rest.slice(at).replace(/^\s+/, '');
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
};

/** A document of one chunk as chunks of a size that can be shown and cited, each with its title; what is cut already stays. */
export const partsOf = (chunk: Chunk): readonly Chunk[] =>
  chunk.part !== 0 || chunk.body.length <= LONGEST_PART
    ? [chunk]
    : splitText(chunk.body).map((body, part) => ({ ...chunk, part, body }));
