import { Unreadable } from './reader.ts';

/** A table of TOML; without a prototype, so that no key of a file means anything else. */
export type TomlTable = { [key: string]: unknown };

const newTable = (): TomlTable => Object.create(null);

const isTable = (value: unknown): value is TomlTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
};

/** Where a text is read, and what stands there. */
class Cursor {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  fail(message: string): never {
    throw new Unreadable(`not TOML: ${message}`, this.text.slice(0, this.at).split('\n').length);
  }

  /** What matches here, passed over. The expression is sticky. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  expect(expression: RegExp, what: string): string {
    return this.take(expression) ?? this.fail(`${what} is missing`);
  }

  /** Passes blanks, line ends and comments over. */
  skipLines(): void {
    this.take(/(?:[ \t\r\n]|#[^\n]*)*/y);
  }

  skipBlanks(): void {
    this.take(/[ \t]*/y);
  }
}

const unescaped = (cursor: Cursor, written: string): string =>
  written
    .replace(/\\[ \t]*\r?\n\s*/g, '')
    .replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)/gs, (_, code: string) => {
      if (code.length === 1) return ESCAPES[code] ?? cursor.fail(`the escape \\${code}`);
      const point = Number.parseInt(code.slice(1), 16);
      return point > 0x10ffff ? cursor.fail(`the escape \\${code}`) : String.fromCodePoint(point);
    });

const readString = (cursor: Cursor): string | undefined => {
  const literal = cursor.take(/'''[\s\S]*?'{3,5}/y) ?? cursor.take(/'(?!'')[^'\n]*'/y);
  if (literal !== undefined)
    return literal.startsWith("'''") ? literal.slice(3, -3).replace(/^\r?\n/, '') : literal.slice(1, -1);
  const long = cursor.take(/"""(?:[^\\]|\\[\s\S])*?"{3,5}/y);
  if (long !== undefined) return unescaped(cursor, long.slice(3, -3).replace(/^\r?\n/, ''));
  const basic = cursor.take(/"(?:[^"\\\n]|\\.)*"/y);
  return basic === undefined ? undefined : unescaped(cursor, basic.slice(1, -1));
};

const readKey = (cursor: Cursor): string[] => {
  const parts: string[] = [];
  do {
    cursor.skipBlanks();
    parts.push(readString(cursor) ?? cursor.expect(/[\w-]+/y, 'a key'));
    cursor.skipBlanks();
  } while (cursor.take(/\./y) !== undefined);
  return parts;
};

/** The table under a path; of a list of tables, the last one. */
const tableAt = (cursor: Cursor, root: TomlTable, path: readonly string[]): TomlTable => {
  let table = root;
  for (const part of path) {
    const there = table[part] ?? newTable();
    table[part] = there;
    const inner = Array.isArray(there) ? there.at(-1) : there;
    table = isTable(inner) ? inner : cursor.fail(`'${part}' is no table`);
  }
  return table;
};

const readArray = (cursor: Cursor): unknown[] => {
  const values: unknown[] = [];
  for (;;) {
    cursor.skipLines();
    if (cursor.take(/\]/y) !== undefined) return values;
    values.push(readValue(cursor));
    cursor.skipLines();
    if (cursor.take(/,/y) === undefined) {
      cursor.expect(/\]/y, "']'");
      return values;
    }
  }
};

const readPair = (cursor: Cursor, table: TomlTable): void => {
  const path = readKey(cursor);
  cursor.expect(/=/y, "'='");
  cursor.skipBlanks();
  const holder = tableAt(cursor, table, path.slice(0, -1));
  holder[path.at(-1) ?? ''] = readValue(cursor);
};

const readInlineTable = (cursor: Cursor): TomlTable => {
  const table = newTable();
  for (;;) {
    cursor.skipLines();
    if (cursor.take(/\}/y) !== undefined) return table;
    readPair(cursor, table);
    cursor.skipLines();
    if (cursor.take(/,/y) === undefined) {
      cursor.expect(/\}/y, "'}'");
      return table;
    }
  }
};

/** Numbers and dates stay as they are written, but whole numbers: nobody counts with them here. */
function readValue(cursor: Cursor): unknown {
  const text = readString(cursor);
  if (text !== undefined) return text;
  if (cursor.take(/\[/y) !== undefined) return readArray(cursor);
  if (cursor.take(/\{/y) !== undefined) return readInlineTable(cursor);
  const bare = cursor.expect(/\d{4}-\d\d-\d\d[ T][\d:.]+(?:Z|[+-][\d:]+)?|[\w+:.-]+/y, 'a value');
  if (bare === 'true' || bare === 'false') return bare === 'true';
  return /^[+-]?\d+$/.test(bare) ? Number(bare) : bare;
}

/** Reads TOML as advisories use it. @throws Unreadable with the line */
export const readToml = (text: string): TomlTable => {
  const cursor = new Cursor(text);
  const root = newTable();
  let table = root;
  for (cursor.skipLines(); cursor.at < text.length; cursor.skipLines()) {
    if (cursor.take(/\[\[/y) !== undefined) {
      const path = readKey(cursor);
      cursor.expect(/\]\]/y, "']]'");
      const holder = tableAt(cursor, root, path.slice(0, -1));
      const name = path.at(-1) ?? '';
      table = newTable();
      const there = holder[name];
      if (there !== undefined && !Array.isArray(there)) cursor.fail(`'${name}' is no list`);
      holder[name] = [...(Array.isArray(there) ? there : []), table];
    } else if (cursor.take(/\[/y) !== undefined) {
      const path = readKey(cursor);
      cursor.expect(/\]/y, "']'");
      table = tableAt(cursor, root, path);
    } else readPair(cursor, table);
    cursor.expect(/[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y, 'the end of the line');
  }
  return root;
};
