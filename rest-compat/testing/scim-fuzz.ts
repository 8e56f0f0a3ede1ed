import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeAuthority } from '@landfall/authority/testing/authority';
import { testApp } from '@landfall/kernel/testing/app';
import { scimRoutes } from '../routes/scim.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const CONCURRENCY = 16;

const start = () => testApp({ createModule: makeAuthority, routes: scimRoutes });
let app: Awaited<ReturnType<typeof start>>;

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly mutability: string;
  readonly subAttributes?: readonly Attribute[];
}

interface Schema {
  readonly id: string;
  readonly attributes: readonly Attribute[];
}

/** JSON values that are no text; the objects shadow what JavaScript calls to make a text of an object. */
const NO_TEXT: readonly unknown[] = [
  { toString: 1 },
  { valueOf: null, toString: null },
  { constructor: 'x', hasOwnProperty: 1 },
  {},
  7,
  -1.5,
  1e308,
  true,
  [{ toString: 1 }],
  [[]],
  [7],
];

const ODD_TEXT: readonly unknown[] = ['', ' ', 'a\0b', '\ud800', 'x'.repeat(5_000), '__proto__', 'toString', '%'];

const ANY: readonly unknown[] = [...NO_TEXT, ...ODD_TEXT, null, []];

/** For what is multiplied by every part of every attribute. */
const SAMPLE_VALUES: readonly unknown[] = [...NO_TEXT.slice(0, 1), ...NO_TEXT.slice(-1), 7, true, 'a\0b', null];

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Every value sent stands where a text is expected, so the answer is 400. */
  readonly isNoText?: boolean;
}

const send = async ({ method, path, body }: Attempt) => {
  const response = await fetch(`${app.origin}/scim/v2${path}`, {
    method,
    headers: { 'x-test-person': 'operator', ...(body !== undefined && { 'content-type': 'application/scim+json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};

const WORDS: readonly string[] = ['invalidValue', 'invalidSyntax', 'invalidPath', 'invalidFilter'];

const faultOf = (attempt: Attempt, { status, text }: Awaited<ReturnType<typeof send>>): string | undefined => {
  const name = `${attempt.method} ${attempt.path} ${JSON.stringify(attempt.body)?.slice(0, 150)}: ${status} ${text.slice(0, 150)}`;
  if (status >= 500) return name;
  if (!attempt.isNoText) return undefined;
  return status === 400 && WORDS.includes(JSON.parse(text).scimType) ? undefined : name;
};

/** Attempts out of which a run that is not thorough sends one. */
const STRIDE = 4;

/** Sends all of them, or a part in a run that is not thorough, some at a time. Returns those whose answer is wrong. */
const sendAll = async (attempts: readonly Attempt[]): Promise<readonly string[]> => {
  const wrong: string[] = [];
  const remaining = attempts.filter((_, nth) => isExhaustive || nth % STRIDE === 0).values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const attempt of remaining) {
        const fault = faultOf(attempt, await send(attempt));
        if (fault !== undefined) wrong.push(fault);
      }
    }),
  );
  return wrong;
};

const isText = ({ type, mutability, multiValued }: Attribute): boolean =>
  !multiValued && mutability !== 'readOnly' && (type === 'string' || type === 'reference');

/** Whether every value is tried in the place of every attribute. */
let isExhaustive = false;
/** Kinds of places that every value has been tried in. */
const tried = new Set<string>();

/** Every value for the first place of its kind, and for the others a value of each sort. */
const valuesOf = (use: string, owner: Attribute, part = owner): readonly unknown[] => {
  const kind = [
    use,
    owner.multiValued,
    owner.type,
    part.type,
    part.multiValued,
    part.mutability,
    part === owner,
  ].join();
  if (!isExhaustive && tried.has(kind)) return SAMPLE_VALUES;
  tried.add(kind);
  return ANY;
};

/** Values in the place of one attribute or of one of its parts, and whether each stands where a text is expected. */
const valuesFor = (use: string, attribute: Attribute): readonly { value: unknown; isNoText: boolean }[] => {
  const complete = valuesOf(use, attribute).map((value) => ({
    value,
    isNoText: isText(attribute) && NO_TEXT.includes(value),
  }));
  const parts = (attribute.subAttributes ?? []).flatMap((part) =>
    valuesOf(use, attribute, part).map((value) => ({
      value: attribute.multiValued ? [{ [part.name]: value }] : { [part.name]: value },
      isNoText: attribute.mutability !== 'readOnly' && isText(part) && NO_TEXT.includes(value),
    })),
  );
  return [...complete, ...parts];
};

const get = async (path: string) => JSON.parse((await send({ method: 'GET', path })).text);

const schemasOf = async (kind: 'User' | 'Group'): Promise<readonly Schema[]> => {
  const { Resources }: { Resources: readonly Schema[] } = await get('/Schemas');
  return Resources.filter(({ id }) => id.endsWith(`:${kind}`));
};

const KINDS = [
  { kind: 'User', path: '/Users', required: 'userName' },
  { kind: 'Group', path: '/Groups', required: 'displayName' },
] as const;

const created = async ({ path, required }: (typeof KINDS)[number], core: string): Promise<string> => {
  const body = { schemas: [core], [required]: 'fuzzed' };
  const { status, text } = await send({ method: 'POST', path, body });
  assert.equal(status, 201, text);
  return `${path}/${JSON.parse(text).id}`;
};

/** Operations of a PATCH in which one field is another thing. */
const operationsFor = (schemas: readonly Schema[]) => {
  const fields = ANY.flatMap((value) => {
    const isNoText = NO_TEXT.includes(value);
    return [
      { operation: { op: value, path: 'displayName', value: 'x' }, isNoText },
      { operation: { op: 'add', path: value, value: 'x' }, isNoText },
      { operation: value, isNoText },
      { operation: { op: 'replace', value: { schemas: value, [String(schemas[0]?.id)]: value } }, isNoText: false },
    ];
  });
  const values = schemas.flatMap(({ id, attributes }) =>
    attributes.flatMap((attribute) => [
      ...valuesFor(`PATCH ${id}`, attribute).flatMap(({ value, isNoText }) => [
        { operation: { op: 'add', path: `${id}:${attribute.name}`, value }, isNoText },
        { operation: { op: 'replace', value: { [`${id}:${attribute.name}`]: value } }, isNoText },
        { operation: { op: 'remove', path: `${id}:${attribute.name}`, value }, isNoText: false },
      ]),
      ...(attribute.subAttributes ?? []).flatMap((part) =>
        SAMPLE_VALUES.flatMap((value) => {
          const isNoText = attribute.mutability !== 'readOnly' && isText(part) && NO_TEXT.includes(value);
          const selected = `${attribute.name}[${part.name} eq ${JSON.stringify(value)}]`;
          return [
            { operation: { op: 'add', path: `${attribute.name}[type eq "w"].${part.name}`, value }, isNoText: false },
            { operation: { op: 'add', path: `${selected}.${part.name}`, value: 'x' }, isNoText: false },
            { operation: { op: 'remove', path: selected }, isNoText },
          ];
        }),
      ),
    ]),
  );
  return [...fields, ...values];
};

const TEXT_FIELDS = ['filter', 'sortBy', 'sortOrder', 'attributes', 'excludedAttributes'];

/** Questions in a body and in a query, in which one field is another thing. */
const questionsOf = (path: string): readonly Attempt[] => [
  ...TEXT_FIELDS.flatMap((field) =>
    ANY.map((value) => ({
      method: 'POST',
      path: `${path}/.search`,
      body: { [field]: value },
      isNoText: NO_TEXT.includes(value),
    })),
  ),
  ...['startIndex', 'count', 'schemas', 'unknown'].flatMap((field) =>
    ANY.map((value) => ({ method: 'POST', path: `${path}/.search`, body: { [field]: value } })),
  ),
  ...[...TEXT_FIELDS, 'startIndex', 'count'].flatMap((field) =>
    ['', 'a%00b', '%EF%BF%BD', '[]', '{"toString":1}', `a&${field}=b`, '1e9', '-1'].map((value) => ({
      method: 'GET',
      path: `${path}?${field}=${value}`,
    })),
  ),
];

const OPERATORS = ['eq', 'co', 'gt', 'pr'];
const COMPARED: readonly unknown[] = [{ toString: 1 }, [], 7, true, null, 'x', '\0'];
/** Values that an attribute is compared with by each operator: in turn, so that every one meets every type. */
const FEW_COMPARED = 2;

/** Filters that compare every attribute and every part of one with values of every type. */
const filtersOf = (path: string, { id, attributes }: Schema): readonly Attempt[] => {
  const attributePaths = attributes.flatMap(({ name, subAttributes = [] }) => [
    name,
    ...subAttributes.map((part) => `${name}.${part.name}`),
  ]);
  return attributePaths.flatMap((attribute, index) =>
    OPERATORS.flatMap((by, operator) =>
      COMPARED.filter((_, nth) => isExhaustive || (nth + index + operator) % COMPARED.length < FEW_COMPARED).map(
        (value) => ({
          method: 'GET',
          path: `${path}?filter=${encodeURIComponent(`${id}:${attribute} ${by} ${JSON.stringify(value)}`)}`,
          isNoText: typeof value === 'object' && value !== null,
        }),
      ),
    ),
  );
};

/**
 * Tests SCIM with values of every other type in every attribute.
 * @param requested.isThorough tries every value in every attribute, instead of every value in the first attribute of each
 * kind
 */
export const testScim = (requested: { readonly isThorough: boolean }): void => {
  before(async () => {
    isExhaustive = requested.isThorough;
    tried.clear();
    app = await start();
  });
  after(() => app[Symbol.asyncDispose]());

  for (const each of KINDS)
    test(`no body of ${each.path} is a failure of ours, and what is no text is 400 where a text is expected`, async () => {
      const [core, ...extensions] = await schemasOf(each.kind);
      assert.ok(core);
      const at = await created(each, core.id);
      const base = { schemas: [core.id], [each.required]: 'fuzzed' };
      const own = core.attributes.flatMap((attribute) =>
        valuesFor(each.path, attribute).map(({ value, isNoText }) => ({
          body: { ...base, [attribute.name]: value },
          isNoText,
        })),
      );
      const extended = extensions.flatMap(({ id, attributes }) => [
        ...ANY.map((value) => ({ body: { ...base, [id]: value }, isNoText: false })),
        ...attributes.flatMap((attribute) =>
          valuesFor(`${each.path} ${id}`, attribute).map(({ value, isNoText }) => ({
            body: { ...base, [id]: { [attribute.name]: value } },
            isNoText,
          })),
        ),
      ]);
      const schemas = [...NO_TEXT, [{ toString: 1 }, core.id]].map((value) => ({
        body: { ...base, schemas: value },
        isNoText: true,
      }));
      const plain = ANY.map((body) => ({ body, isNoText: body === null || NO_TEXT.includes(body) }));
      const bodies = [...own, ...extended, ...schemas, ...plain];
      // A replacement is tried everywhere; a creation would leave a new resource behind each accepted body.
      const attempts = bodies.flatMap(({ body, isNoText }) => [
        { method: 'PUT', path: at, body, isNoText },
        ...(isNoText ? [{ method: 'POST', path: each.path, body, isNoText }] : []),
      ]);
      assert.deepEqual(await sendAll(attempts), []);
      assert.deepEqual(app.bugs, []);
      assert.ok(attempts.length > 100, `${attempts.length} requests`);
    });

  for (const each of KINDS)
    test(`no PATCH of ${each.path} is a failure of ours, and what is no text is 400 where a text is expected`, async () => {
      const schemas = await schemasOf(each.kind);
      const found = await get(`${each.path}?filter=${encodeURIComponent(`${each.required} eq "fuzzed"`)}`);
      const path = found.Resources?.[0]
        ? `${each.path}/${found.Resources[0].id}`
        : await created(each, `${schemas[0]?.id}`);
      const attempts: Attempt[] = [
        ...operationsFor(schemas).map(({ operation, isNoText }) => ({
          method: 'PATCH',
          path,
          body: { schemas: [PATCH], Operations: [operation] },
          isNoText,
        })),
        ...NO_TEXT.flatMap((value) => [
          { method: 'PATCH', path, body: { schemas: value, Operations: [] }, isNoText: true },
          { method: 'PATCH', path, body: { schemas: [PATCH], Operations: value }, isNoText: true },
        ]),
      ];
      assert.deepEqual(await sendAll(attempts), []);
      assert.deepEqual(app.bugs, []);
      assert.ok(attempts.length > 300, `${attempts.length} requests`);
    });

  test('no question is a failure of ours, in a query or in the body of /.search', async () => {
    const attempts: Attempt[] = [];
    for (const { kind, path } of KINDS) {
      attempts.push(...questionsOf(path));
      for (const schema of await schemasOf(kind)) attempts.push(...filtersOf(path, schema));
    }
    assert.deepEqual(await sendAll(attempts), []);
    assert.deepEqual(app.bugs, []);
    assert.ok(attempts.length > (isExhaustive ? 2_000 : 900), `${attempts.length} requests`);
  });
};
