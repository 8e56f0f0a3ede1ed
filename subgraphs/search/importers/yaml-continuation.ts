/** Deeper than what people write. */
const DEEP = ' '.repeat(100);
/** Lines of a file that is worth another try. */
const MOST_LINES = 50_000;

/** A header of a block scalar: what follows is text as long as it is indented. */
const BLOCK = /^[|>][-+\d]*[ \t]*(?:#.*)?$/;

/** Where a line of a text leaves off. */
interface State {
  /** Of a quoted text that goes on. */
  quote: '"' | "'" | undefined;
  /** Lists and maps in brackets that are open. */
  depth: number;
  /** Indentation of the line that began a block scalar. */
  block: number | undefined;
}

const isBlank = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\t';

/** The place after the end of a quoted text, or undefined where it goes on in the next line. */
const endOfQuote = (line: string, from: number, quote: string): number | undefined => {
  for (let at = from; at < line.length; at++) {
    if (quote === '"' && line[at] === '\\') at++;
    else if (line[at] === quote) {
      if (quote === '"' || line[at + 1] !== "'") return at + 1;
      at++;
    }
  }
  return undefined;
};

/** The place after the end of a plain text: a comment, a value's colon or, in brackets, their signs. */
const endOfPlain = (line: string, from: number, isInside: boolean): number => {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '#' && isBlank(line[at - 1])) return at;
    if (line[at] === ':' && (isBlank(line[at + 1]) || (isInside && /[,[\]{}]/.test(line[at + 1] ?? '')))) return at;
    if (isInside && /[,[\]{}]/.test(line[at] ?? '')) return at;
  }
  return line.length;
};

/** Passes what is no text: blanks, signs of lists, maps and brackets. @returns the place after it, or undefined */
const passSign = (line: string, at: number, state: State): number | undefined => {
  const character = line[at] ?? '';
  const isSign = character === ',' || (/[-?:]/.test(character) && isBlank(line[at + 1]));
  if (isBlank(character) || isSign) return at + 1;
  if (character === '[' || character === '{') state.depth++;
  else if (state.depth > 0 && (character === ']' || character === '}')) state.depth--;
  else return undefined;
  return at + 1;
};

const isComment = (line: string, at: number): boolean => line[at] === '#' && (at === 0 || isBlank(line[at - 1]));

/** Passes one thing of a line. @returns the place after it */
const passOne = (line: string, at: number, state: State): number => {
  const signed = passSign(line, at, state);
  if (signed !== undefined) return signed;
  const character = line[at];
  if (isComment(line, at)) return line.length;
  if (character === '"' || character === "'") {
    state.quote = character;
    return at + 1;
  }
  if (state.depth === 0 && BLOCK.test(line.slice(at))) {
    state.block = line.length - line.trimStart().length;
    return line.length;
  }
  return Math.max(at + 1, endOfPlain(line, at, state.depth > 0));
};

const follow = (line: string, state: State): void => {
  for (let at = 0; at < line.length; ) {
    if (state.quote === undefined) at = passOne(line, at, state);
    else {
      at = endOfQuote(line, at, state.quote) ?? Number.POSITIVE_INFINITY;
      if (at !== Number.POSITIVE_INFINITY) state.quote = undefined;
    }
  }
};

/**
 * The same YAML with every line indented that goes on with a quoted text or with what stands in brackets. YAML 1.2 wants
 * such lines indented deeper than what holds them; most readers do not mind, and files are written for those. The
 * indentation is no part of a quoted text, and lines keep their numbers.
 */
export const indentContinuations = (written: string): string => {
  const state: State = { quote: undefined, depth: 0, block: undefined };
  const lines = written.split('\n');
  if (lines.length > MOST_LINES) return written;
  return lines
    .map((line) => {
      if (state.block !== undefined) {
        const indentation = line.length - line.trimStart().length;
        if (line.trim() === '' || indentation > state.block) return line;
        state.block = undefined;
      }
      const goesOn = state.quote !== undefined || state.depth > 0;
      follow(line, state);
      return goesOn && line.trim() !== '' ? `${DEEP}${line}` : line;
    })
    .join('\n');
};
