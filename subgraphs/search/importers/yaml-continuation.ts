/** Deeper than what people write. */
const DEEP = ' '.repeat(100);
/** Lines of a file that is worth another try. */
const MAX_LINES = 50_000;

/** Header of a block scalar; indented lines after it are text. */
const BLOCK = /^[|>][-+\d]*[ \t]*(?:#.*)?$/;

interface State {
  quote: '"' | "'" | undefined;
  depth: number;
  /** Indentation of the line that began a block scalar. */
  block: number | undefined;
}

const isBlank = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\t';

/** Position after the closing quote; undefined if the text continues on the next line. */
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

const endOfPlain = (line: string, from: number, isInside: boolean): number => {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '#' && isBlank(line[at - 1])) return at;
    if (line[at] === ':' && (isBlank(line[at + 1]) || (isInside && /[,[\]{}]/.test(line[at + 1] ?? '')))) return at;
    if (isInside && /[,[\]{}]/.test(line[at] ?? '')) return at;
  }
  return line.length;
};

/** Skips blanks and indicators. @returns the next position, or undefined */
const passSign = (line: string, index: number, state: State): number | undefined => {
  const character = line[index] ?? '';
  const isSign = character === ',' || (/[-?:]/.test(character) && isBlank(line[index + 1]));
  if (isBlank(character) || isSign) return index + 1;
  if (character === '[' || character === '{') state.depth++;
  else if (state.depth > 0 && (character === ']' || character === '}')) state.depth--;
  else return undefined;
  return index + 1;
};

const isComment = (line: string, index: number): boolean =>
  line[index] === '#' && (index === 0 || isBlank(line[index - 1]));

const passOne = (line: string, index: number, state: State): number => {
  const signed = passSign(line, index, state);
  if (signed !== undefined) return signed;
  const character = line[index];
  if (isComment(line, index)) return line.length;
  if (character === '"' || character === "'") {
    state.quote = character;
    return index + 1;
  }
  if (state.depth === 0 && BLOCK.test(line.slice(index))) {
    state.block = line.length - line.trimStart().length;
    return line.length;
  }
  return Math.max(index + 1, endOfPlain(line, index, state.depth > 0));
};

const follow = (line: string, state: State): void => {
  for (let index = 0; index < line.length; ) {
    if (state.quote === undefined) index = passOne(line, index, state);
    else {
      index = endOfQuote(line, index, state.quote) ?? Number.POSITIVE_INFINITY;
      if (index !== Number.POSITIVE_INFINITY) state.quote = undefined;
    }
  }
};

/** Indents continuation lines of quoted scalars and flow collections as YAML 1.2 requires; line numbers stay. */
export const indentContinuations = (text: string): string => {
  const state: State = { quote: undefined, depth: 0, block: undefined };
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) return text;
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
