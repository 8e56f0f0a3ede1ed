import pg from 'pg';
import type { Caller, CallerKind } from '../core/caller.ts';
import { Fault } from '../core/fault.ts';
import { exampleId } from '../core/ids.ts';
import type { Operation, OperationSpec } from '../operation/operation.ts';
import type { TenantData } from '../operation/seed.ts';
import { caller } from './callers.ts';

interface Matrix {
  readonly operations: readonly Operation<unknown>[];
  readonly data: TenantData;
  /** Text in every name that the owner uses. */
  readonly mark: string;
  readonly owner: string;
  readonly other: string;
  readonly connection: pg.ClientConfig;
  /** Operations that ask for no scope, each with its reason. */
  readonly unscoped: Readonly<Record<string, string>>;
  /** Reads that answer every tenant the same, each with its reason. */
  readonly shared?: Readonly<Record<string, string>>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOT_FOUND = /^RES_(?:[A-Z]+_)*NOT_FOUND$/;

const mapStrings = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapStrings(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapStrings(item, map)]));
};

/** The ids and names that a value holds. */
const wordsIn = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? '';

interface Tried {
  readonly code: string;
  readonly answer: string;
}

/** Result of a call: the answer, or the fault's code; any other error is `BUG` with its message. */
const attempt = async (operation: Operation<unknown>, as: Caller, input: unknown): Promise<Tried> => {
  try {
    return { code: 'OK', answer: wordsIn(await operation(as, input)) };
  } catch (error) {
    return error instanceof Fault
      ? { code: error.code, answer: wordsIn([error.message, error.details, error.fields]) }
      : { code: `BUG ${error instanceof Error ? error.message : String(error)}`, answer: '' };
  }
};

/** Rows of every table that has a tenant, as one hash a tenant: what a call that writes nothing leaves as it was. */
const fingerprints = async (client: pg.Client): Promise<ReadonlyMap<string, string>> => {
  const { rows: tables } = await client.query<{ name: string }>(tenantTables);
  const each = tables.map(({ name }) => `select tenant, md5(t::text) as row from ${name} t`);
  const { rows } = await client.query<{ tenant: string; hash: string }>(
    `select tenant, md5(string_agg(row, '' order by row)) as hash from (${each.join(' union all ')}) r group by tenant`,
  );
  return new Map(rows.map(({ tenant, hash }) => [tenant, hash]));
};

/** Tables of ours with a tenant column, by their full name. */
export const tenantTables = `
  select c.oid::regclass::text as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped
  where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
  order by 1`;

/** Input of an operation's example with real ids in place of the placeholders. */
export const inputOf = ({ spec }: Operation<unknown>, { ids, inputs = {} }: TenantData): unknown => {
  const real = new Map(Object.entries(ids).map(([name, id]) => [String(exampleId(name)), id]));
  return inputs[spec.name] ?? mapStrings(spec.example, (text) => real.get(text) ?? text);
};

/** Ids in an input that belong to no tenant: the example would be refused for every caller. */
const unknownIdsIn = (input: unknown, { ids }: TenantData): string[] => {
  const known = new Set(Object.values(ids));
  const otherUsers: string[] = [];
  mapStrings(input, (text) => {
    if (UUID.test(text) && !known.has(text)) otherUsers.push(text);
    return text;
  });
  return otherUsers;
};

const holdsId = (input: unknown, { ids }: TenantData): boolean =>
  Object.values(ids).some((id) => wordsIn(input).includes(id));

/** Whether another caller must be refused with not-found, rather than be shown an entity of its own. */
const isTargeted = (spec: OperationSpec, input: unknown, data: TenantData): boolean =>
  spec.raises.some((code) => NOT_FOUND.test(code)) && (holdsId(input, data) || spec.callers.includes('agent'));

const callersFor = ({ operations, data, owner, other }: Matrix) => {
  const scopes = [...new Set(operations.flatMap(({ spec }) => spec.scope))];
  // An agent is known by its own id, so another tenant's agent is one that claims the owner's.
  const subjects: Readonly<Record<CallerKind, string>> = {
    user: data.ids.User ?? 'user',
    client: data.ids.Client ?? 'client',
    agent: data.ids.Agent ?? 'agent',
    system: 'system',
  };
  return ({ callers: [kind = 'user'] }: OperationSpec) => {
    const as = (tenant: string, subject: string, scopes: readonly string[]) =>
      caller({ tenant, subject, kind, scopes: scopes });
    const unrelated = kind === 'agent' ? subjects.agent : 'stranger';
    return {
      owner: as(owner, subjects[kind], scopes),
      other: as(other, unrelated, scopes),
      nobody: as(owner, subjects[kind], []),
    };
  };
};

type Callers = ReturnType<ReturnType<typeof callersFor>>;

/** One operation with the input and the callers that it is tried with. */
interface Case {
  readonly operation: Operation<unknown>;
  readonly spec: OperationSpec;
  readonly input: unknown;
  readonly callers: Callers;
}

/** Problems of an operation's declaration, and of its answer to a caller without scopes. */
const checkSelf = async ({ operation, spec, input, callers }: Case, { data, unscoped }: Matrix): Promise<string[]> => {
  const problems = unknownIdsIn(input, data).map((id) => `its example holds ${id}, which is no seeded exampleId(…)`);
  if (spec.example === undefined) problems.push('has no example');
  if (spec.scope.length === 0)
    return spec.name in unscoped ? problems : [...problems, 'asks for no scope, and no reason is given'];
  const { code } = await attempt(operation, callers.nobody, input);
  return code === 'PERM_SCOPE_DENIED' ? problems : [...problems, `without a scope it answers ${code}`];
};

const isRefusal = ({ raises }: OperationSpec, code: string): boolean => raises.some((raised) => raised === code);

/** Words of the owner's that an answer holds, beside those that were sent. */
const ownersWords = (answer: string, input: unknown, { data, mark }: Matrix): string[] => {
  const sent = wordsIn(input);
  return [mark, ...Object.values(data.ids)].filter((word) => answer.includes(word) && !sent.includes(word));
};

/** Problems of the answer to another tenant, and changes of the owner's rows by it. */
const checkOther = async (one: Case, matrix: Matrix, client: pg.Client): Promise<string[]> => {
  const { operation, spec, input, callers } = one;
  const targeted = isTargeted(spec, input, matrix.data);
  const before = await fingerprints(client);
  const { code, answer } = await attempt(operation, callers.other, input);
  const after = await fingerprints(client);
  const problems = ownersWords(answer, input, matrix).map((word) => `another tenant is told ${word}`);
  if (targeted && !NOT_FOUND.test(code)) problems.push(`another tenant is answered ${code} and not RES_…NOT_FOUND`);
  if (!targeted && code !== 'OK' && !isRefusal(spec, code)) problems.push(`another tenant is answered ${code}`);
  const touched = targeted ? [matrix.owner, matrix.other] : [matrix.owner];
  for (const tenant of touched)
    if (before.get(tenant) !== after.get(tenant)) problems.push(`another tenant’s call wrote rows of ${tenant}`);
  return problems;
};

/** Whether the example is good for anything: its owner must come past existence, and see what others must not. */
const checkOwner = async ({ operation, spec, input, callers }: Case, matrix: Matrix): Promise<string[]> => {
  const { code, answer } = await attempt(operation, callers.owner, input);
  if (NOT_FOUND.test(code)) return [`its own tenant is answered ${code}`];
  if (code !== 'OK')
    return isRefusal(spec, code) ? [] : [`its own tenant is answered ${code}, which it does not raise`];
  const isShared = spec.name in (matrix.shared ?? {});
  const mustShow = spec.kind === 'read' && !isShared && !isTargeted(spec, input, matrix.data);
  const hasNoMarks = mustShow && ownersWords(answer, input, matrix).length === 0;
  // A response with figures only must differ from that of another tenant.
  const showsNothing = hasNoMarks && (await attempt(operation, callers.other, input)).answer === answer;
  return showsNothing ? ['shows its own tenant nothing, so that others see nothing proves nothing'] : [];
};

/**
 * Calls every operation as its tenant, as another tenant and without a tenant.
 * @returns problems, one line each; empty without any
 */
export const checkMatrix = async (matrix: Matrix): Promise<string[]> => {
  const callers = callersFor(matrix);
  const cases = matrix.operations.map((operation): Case => {
    const { spec } = operation;
    return { operation, spec, input: inputOf(operation, matrix.data), callers: callers(spec) };
  });
  const client = new pg.Client(matrix.connection);
  await client.connect();
  const isUnscoped = (name: string): boolean => cases.some(({ spec }) => spec.name === name && spec.scope.length === 0);
  const needless = Object.keys(matrix.unscoped).filter((name) => !isUnscoped(name));
  const problems = needless.map((name) => `${name}: a reason to ask for no scope is given, and is not needed`);
  const note = ({ spec }: Case, found: readonly string[]): void => {
    problems.push(...found.map((problem) => `${spec.name}: ${problem}`));
  };
  // The owner's calls change rows, so they come last, and reads before writes.
  for (const one of cases) note(one, [...(await checkSelf(one, matrix)), ...(await checkOther(one, matrix, client))]);
  for (const kind of ['read', 'write'] as const)
    for (const one of cases.filter(({ spec }) => spec.kind === kind)) note(one, await checkOwner(one, matrix));
  await client.end();
  return problems;
};
