import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type Sql } from '../db/sql.ts';
import type { Shape } from '../db/table.ts';
import { describeOn, type Session } from './describe.ts';
import { dummy, dummyWith } from './dummy.ts';

/** One statement as a store function would send it. */
interface Recorded {
  readonly name: string | undefined;
  readonly text: string;
  readonly shape: Shape<unknown> | undefined;
}

/** A store function that asks for the next page as long as there is one would never end. */
const MAX_STATEMENTS = 200;
const MAX_ARGUMENTS = 8;

const ROOT = join(import.meta.dirname, '../../..');

const isFunction = (value: unknown): value is (...args: readonly unknown[]) => unknown => typeof value === 'function';

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;

const isShape = (value: unknown): value is Shape<unknown> =>
  typeof value === 'object' && value !== null && 'definition' in value && 'decode' in value;

const nameOf = (text: string): string | undefined => /^\s*\/\* ([\w.-]+) \*\//.exec(text)?.[1];

/** A transaction that notes what is sent and answers with dummies. Any other property is a dummy, as of any argument. */
const recordingTx = (note: (recorded: Recorded) => void): unknown => {
  let remaining = MAX_STATEMENTS;
  const send = (statement: unknown, shape?: Shape<unknown>): void => {
    if (remaining-- === 0) throw new RangeError('a store function sends statements without end');
    if (!isSql(statement)) return;
    const { text } = compile(statement);
    note({ name: nameOf(text), text, shape });
  };
  const asking = (answer: () => unknown) => async (shape: unknown, statement: unknown) => {
    send(statement, isShape(shape) ? shape : undefined);
    return answer();
  };
  return dummyWith({
    find: asking(dummy),
    get: asking(dummy),
    list: asking(() => [dummy()]),
    run: async (statement: unknown) => {
      send(statement);
      return 1;
    },
    transaction: true,
  });
};

/** Arguments after the transaction: all there, and then one after the other absent, or there without any property. */
const argumentLists = (keys: readonly string[]): unknown[][] => {
  const all = Array.from({ length: MAX_ARGUMENTS - 1 }, () => dummy({ keys }));
  const withOther = (other: unknown) => all.map((_, i) => all.map((value, j) => (i === j ? other : value)));
  return [all, ...withOther(undefined), ...withOther(dummy({ hollow: true }))];
};

const attempt = async (run: () => unknown): Promise<unknown> => {
  try {
    return await run();
  } catch {
    // A dummy does not suit every argument. Statements that were sent before an error count, and a statement that is
    // never sent is reported as missing.
    return undefined;
  }
};

const callAll = async (functions: readonly unknown[], tx: unknown, keys: readonly string[]): Promise<unknown[]> => {
  const created: unknown[] = [];
  for (const run of functions.filter(isFunction))
    for (const rest of argumentLists(keys)) created.push(await attempt(() => run(tx, ...rest)));
  return created;
};

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null && !isSql(value) ? Object.values(value) : [];

/**
 * Every statement that the exported functions of a module can send, and the functions of what its factories make.
 * @param keys members of an argument that is spread into a row
 */
const recordStatements = async (module: object, keys: readonly string[]): Promise<Recorded[]> => {
  const found = new Map<string, Recorded>();
  const note = (recorded: Recorded): void => {
    found.set(`${recorded.shape?.name}\0${recorded.text}`, recorded);
  };
  const tx = () => recordingTx(note);
  const created = await callAll(Object.values(module), tx(), keys);
  await callAll(created.slice(0, MAX_STATEMENTS).flatMap(membersOf), tx(), keys);
  return [...found.values()];
};

/** Differences between a shape and the database's description of a result. */
const compare = ({ shape, text }: Recorded, described: Awaited<ReturnType<Session['describe']>>): string[] => {
  if (!shape) return [];
  const names = compile(shape.columns).text.split(', ');
  const columns = new Map(Object.values(shape.definition).map((column, i) => [names[i] ?? '', column]));
  const fields = new Map(described.map((field) => [field.name, field]));
  const missing = names
    .filter((name) => !fields.has(name))
    .map((name) => `${shape.name} has ${name}, the result has not`);
  const unread = [...fields.keys()].filter((name) => !columns.has(name)).map((name) => `nobody reads ${name}`);
  const hasOuterJoin = /\b(left|right|full)\s+(outer\s+)?join\b/i.test(text);
  const misread = [...columns].flatMap(([name, column]) => {
    const field = fields.get(name);
    if (!field) return [];
    const wrong = [];
    if (field.type !== column.type) wrong.push(`${name} is ${field.type}, ${shape.name} says ${column.type}`);
    if (field.isNullable === true && !column.isNullable) wrong.push(`${name} can be null, ${shape.name} says never`);
    if (field.isNullable === false && column.isNullable && !hasOuterJoin)
      wrong.push(`${name} is never null, ${shape.name} says it can be`);
    return wrong;
  });
  return [...missing, ...unread, ...misread];
};

const errorOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const checkOne = async (recorded: Recorded, session: Session): Promise<string[]> => {
  try {
    const described = await session.describe(recorded.text);
    const refusals = await session.refusals(recorded.text);
    return [...compare(recorded, described), ...refusals];
  } catch (error) {
    return [errorOf(error)];
  }
};

const namesIn = (source: string): string[] =>
  [...source.matchAll(/sql`\s*\/\* ([\w.-]+) \*\//g)].map(([, name]) => name ?? '');

/**
 * Prepares every statement of `files` on a database, without running any, and checks that it parses, that its result
 * has the names, types and nullability of its shape, that a role of the product may run it, and that each named
 * statement of the sources was seen under a name of its own.
 * @returns problems, one line each; empty without any
 */
export const checkStatements = async (files: readonly URL[], connection: Parameters<typeof describeOn>[0]) => {
  await using session = await describeOn(connection);
  const problems: string[] = [];
  const owners = new Map<string, string>();
  let checked = 0;
  for (const file of files) {
    const path = relative(ROOT, fileURLToPath(file));
    const module: object = await import(file.href);
    const recorded = await recordStatements(module, session.columns);
    const visited = new Set(recorded.map(({ name }) => name));
    for (const name of namesIn(await readFile(file, 'utf8'))) {
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(`${path} ${name}: the name is taken by ${owner}`);
      if (!visited.has(name)) problems.push(`${path} ${name}: no exported function sends it`);
      owners.set(name, path);
    }
    for (const statement of recorded) {
      checked += 1;
      if (statement.name === undefined) problems.push(`${path}: a statement without a name: ${statement.text}`);
      const wrong = await checkOne(statement, session);
      problems.push(...wrong.map((name) => `${path} ${statement.name}: ${name}`));
    }
  }
  return { problems: [...new Set(problems)], checked };
};
