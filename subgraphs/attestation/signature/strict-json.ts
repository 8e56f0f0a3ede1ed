/** Text that is not one unambiguous JSON document. The message says what is wrong. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

// Far above any bundle or statement, and far below what overflows the stack.
const MAX_DEPTH = 64;
// A statement of 3,000 landings has some 30,000.
const MAX_VALUES = 200_000;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Level {
  /** Member names so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  expectsName: boolean;
}

const nameOf = (token: string): string => {
  const name: unknown = JSON.parse(token);
  return String(name);
};

const addMember = (level: Level, token: string): void => {
  const name = nameOf(token);
  if (level.names?.has(name)) throw new MalformedJson(`it names ${JSON.stringify(name)} twice`);
  level.names?.add(name);
  level.expectsName = false;
};

/** Throws MalformedJson for text with too many values, in one pass before the text is parsed. */
const refuseTooLarge = (text: string): void => {
  let values = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isText && character === '\\') index += 1;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === ',' || character === '{' || character === '[')) values += 1;
  }
  if (values > MAX_VALUES) throw new MalformedJson(`it has more than ${MAX_VALUES} values`);
};

/** Throws MalformedJson for a duplicate member or too deep nesting in valid JSON. */
const refuseAmbiguity = (text: string): void => {
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      if (levels.length === MAX_DEPTH) throw new MalformedJson(`it nests deeper than ${MAX_DEPTH} levels`);
      levels.push({ names: token === '{' ? new Set() : undefined, expectsName: token === '{' });
    } else if (token === '}' || token === ']') levels.pop();
    else if (level && token === ',') level.expectsName = level.names !== undefined;
    else if (level?.expectsName && token !== ':') addMember(level, token);
  }
};

/**
 * Parses untrusted JSON. Refuses duplicate members, which parsers resolve differently (RFC 8259 4), too long, deep or
 * large documents, and unpaired surrogates.
 * @throws MalformedJson
 */
export const parseStrictJson = (text: string, maxBytes: number): unknown => {
  if (Buffer.byteLength(text) > maxBytes) throw new MalformedJson(`it is larger than ${maxBytes} bytes`);
  if (!text.isWellFormed()) throw new MalformedJson('it holds half a surrogate pair');
  refuseTooLarge(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedJson('it is not JSON');
  }
  refuseAmbiguity(text);
  return value;
};
