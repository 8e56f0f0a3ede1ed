import { createHash } from 'node:crypto';

const fragment = Symbol('sql');

/** Fragment of SQL with its parameters. Fragments nest; values never become text. */
export interface Sql {
  readonly [fragment]: true;
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
}

/** Statement as the driver sends it: `name` makes it a prepared statement of its connection. */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: unknown[];
}

export const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && fragment in value;

const createFragment = (strings: readonly string[], values: readonly unknown[]): Sql => ({
  [fragment]: true,
  strings,
  values,
});

/** Tags a statement. It begins with a comment that contains its name: `notify.deliveries.lock`. */
export const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]): Sql =>
  createFragment(strings, values);

/** SQL text that is known at compile time, such as a column list. Never pass input. */
export const trusted = (text: string): Sql => createFragment([text], []);

/** Empty fragment, for a condition that does not apply. */
export const empty: Sql = trusted('');

/** Names a statement by a leading comment, for text that is composed at run time. */
export const byName = (name: string, body: Sql): Sql => createFragment([`/* ${name} */ `, ''], [body]);

/** Joins `parts` with `separator` between them. */
export const join = (parts: readonly Sql[], separator: string): Sql =>
  parts.length === 0 ? empty : createFragment(['', ...parts.slice(1).map(() => separator), ''], parts);

/** Converts a value to a `json` or `jsonb` parameter. */
export const jsonb = (value: unknown): string => JSON.stringify(value);

/** Instant `ms` milliseconds after the database's current time, or before it when negative. */
export const fromNow = (ms: number): Sql => sql`kernel.now() + make_interval(secs => ${ms / 1000})`;

/** LIKE pattern for texts that contain `text`, with its wildcards escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const names = new Map<string, string | undefined>();

/** The leading comment and a hash of the text: fragments may vary under one comment, and each text is its own plan. */
const nameOf = (text: string): string | undefined => {
  const known = names.get(text);
  if (known !== undefined || names.has(text)) return known;
  const comment = /^\s*\/\* ([\w.-]+) \*\//.exec(text)?.[1];
  const name = comment && `${comment.slice(0, 52)}:${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  names.set(text, name);
  return name;
};

/** Flattens a statement into numbered parameters. */
export const compile = (statement: Sql): Statement => {
  const values: unknown[] = [];
  const write = ({ strings, values: input }: Sql): string =>
    strings.reduce((text, part, i) => {
      if (i === 0) return part;
      const value = input[i - 1];
      return `${text}${isSql(value) ? write(value) : `$${values.push(value)}`}${part}`;
    }, '');
  const text = write(statement);
  return { name: nameOf(text), text, values };
};
