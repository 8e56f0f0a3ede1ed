import { countLines, syntaxErrorLine } from './json-positions.ts';
import { LIMITS } from './limits.ts';
import { Unreadable } from './reader.ts';

interface JsonRecord {
  readonly value: unknown;
  readonly line: number;
  readonly written: string;
}

/** A record, or why there is none and where. */
type JsonPiece = JsonRecord | Unreadable;

/** Message of JSON.parse without its position, which is reported separately. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return `not JSON: ${message.replace(/(?:, )?\.{0,3}"[\s\S]*" is not valid JSON$/, ' is not valid').replace(/ in JSON at position.*$/s, '')}`;
};

const parseAt = (text: string, line: number): JsonPiece => {
  try {
    return { value: JSON.parse(text), line, written: text };
  } catch (error) {
    return new Unreadable(reasonOf(error), line + syntaxErrorLine(text) - 1);
  }
};

const tooLong = (line: number): Unreadable =>
  new Unreadable(`the record is longer than ${LIMITS.record} characters`, line);

/** Parses JSON Lines. */
async function* byLines(texts: AsyncIterable<string>): AsyncGenerator<JsonPiece> {
  let rest = '';
  let line = 1;
  let isSkipping = false;
  for await (const text of texts) {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const part of lines) {
      const one = rest + part;
      rest = '';
      if (!isSkipping && one.trim() !== '') yield parseAt(one, line);
      isSkipping = false;
      line++;
    }
    rest += last;
    if (rest.length > LIMITS.record) {
      if (!isSkipping) yield tooLong(line);
      isSkipping = true;
      rest = '';
    }
  }
  if (!isSkipping && rest.trim() !== '') yield parseAt(rest, line);
}

/** The whole text is one value. */
async function* complete(texts: AsyncIterable<string>): AsyncGenerator<JsonPiece> {
  let source = '';
  for await (const text of texts) {
    source += text;
    if (source.length > LIMITS.record) {
      yield tooLong(1);
      return;
    }
  }
  const blank = /^\s*/.exec(source)?.[0] ?? '';
  yield parseAt(source.slice(blank.length), 1 + countLines(blank));
}

const [QUOTE, BACKSLASH, NEWLINE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  34, 92, 10, 44, 91, 93, 123, 125,
];

/** Cuts a list into its elements as it comes, looking no deeper than brackets and texts. */
class Elements {
  #depth = -1;
  #inText = false;
  #escaped = false;
  #line = 1;
  #begun = 1;
  #element = '';
  #isTooLong = false;

  /** Parses more input; returns the complete elements, and errors of malformed ones. */
  push(text: string): JsonPiece[] {
    const pieces: JsonPiece[] = [];
    let from = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === NEWLINE) this.#line++;
      if (!this.#ends(code)) continue;
      pieces.push(...this.#close(this.#element + text.slice(from, index)));
      this.#element = '';
      from = index + 1;
    }
    this.#element += text.slice(from);
    if (this.#element.length > LIMITS.record) {
      if (!this.#isTooLong) pieces.push(tooLong(this.#begun));
      this.#isTooLong = true;
      this.#element = '';
    }
    return pieces;
  }

  end(): JsonPiece[] {
    if (this.#depth >= 0) return [new Unreadable('the file ends inside a list', this.#begun)];
    return this.#element.trim() === '' ? [] : [new Unreadable('something follows the list', this.#line)];
  }

  /** Whether an element ends before this character. */
  #ends(code: number): boolean {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) this.#inText = false;
      return false;
    }
    if (code === QUOTE) this.#inText = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) return ++this.#depth === 0;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) return --this.#depth === -1;
    return code === COMMA && this.#depth === 0;
  }

  #close(element: string): JsonPiece[] {
    const started = this.#begun;
    const isDropped = this.#isTooLong;
    this.#isTooLong = false;
    this.#begun = this.#line;
    const blank = /^\s*/.exec(element)?.[0] ?? '';
    if (isDropped || blank.length === element.length) return [];
    return [parseAt(element.slice(blank.length), started + countLines(blank))];
  }
}

async function* byElements(texts: AsyncIterable<string>): AsyncGenerator<JsonPiece> {
  const elements = new Elements();
  for await (const text of texts) yield* elements.push(text);
  yield* elements.end();
}

/** Whether a text is JSON Lines: its first line is a complete value, or its second line starts another value. */
const isByLines = (head: string): boolean => {
  const [first = '', ...others] = head.trimStart().split('\n');
  if (/^\s*\{/.test(others.find((line) => line.trim() !== '') ?? '') && first.trim() !== '{') return true;
  try {
    JSON.parse(first);
    return others.length > 0;
  } catch {
    return false;
  }
};

/**
 * Reads the records of a JSON text, streamed.
 * @param head beginning of the text, which `texts` contains too
 */
export const readJson = (texts: AsyncIterable<string>, head: string): AsyncGenerator<JsonPiece> => {
  if (head.trimStart().startsWith('[')) return byElements(texts);
  return isByLines(head) ? byLines(texts) : complete(texts);
};
