import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { silentLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { createGraph } from './graph.ts';
import { localSource } from './local-source.ts';

const requestId = people.operator.correlationId;

/** Starts the committed supergraph over small resolvers that fail in each possible way. */
const startGraph = async (introspection = true) => {
  const bugs: unknown[] = [];
  const made: string[] = [];
  const onBug = (bug: unknown): void => {
    bugs.push(bug);
  };
  const source = (name: string, resolvers: object) => {
    const schema = buildSubgraph(new URL(`../../subgraphs/${name}/schema.graphql`, import.meta.url), resolvers);
    const context = (): object => {
      made.push(name);
      return {};
    };
    return localSource({ name, schema, context, operations: [], workers: [] }, onBug);
  };
  const promotion = (_: unknown, { id }: { readonly id: string }) => {
    if (id === 'missing') throw new Fault('RES_PROMOTION_NOT_FOUND', 'No such promotion.', { id });
    if (id === 'broken') throw new Error('select secret from nowhere');
    return { id, requestedBy: { id: id === 'orphan' ? 'gone' : 'ann' } };
  };
  const user = ({ id }: { readonly id: string }) => (id === 'ann' ? { id, username: 'ann' } : null);
  const graph = await createGraph({
    introspection,
    log: silentLog,
    onBug,
    sources: new Map([
      ['artifacts', source('artifacts', {})],
      ['authority', source('authority', { User: { __resolveReference: user } })],
      ['orchestrator', source('orchestrator', { Query: { promotion } })],
      ['airgap', source('airgap', {})],
      ['notifier', source('notifier', {})],
      ['registry-token', source('registry-token', {})],
      ['scanner', source('scanner', {})],
      ['search', source('search', {})],
    ]),
  });
  return {
    bugs,
    made,
    async ask(query: string, variables: Record<string, unknown> = {}) {
      const headers = { 'content-type': 'application/json' };
      const body = { query, variables };
      const answer = await graph.answer({ method: 'POST', headers, search: '', body, caller: people.operator });
      return { status: answer.status, body: JSON.parse(answer.body) };
    },
    [Symbol.asyncDispose]: () => graph.close(),
  };
};

type Started = Awaited<ReturnType<typeof startGraph>>;

const codesOf = async (graph: Started, query: string, variables?: Record<string, unknown>) => {
  const { status, body } = await graph.ask(query, variables);
  return [status, ...body.errors.map((error: { extensions: { code: string } }) => error.extensions.code)];
};

test('one plan joins two modules, and each makes one context a request', async () => {
  await using graph = await startGraph();
  const { body } = await graph.ask(
    '{ a: promotion(id: "1") { requestedBy { username } } b: promotion(id: "2") { id } }',
  );
  assert.deepEqual(body, { data: { a: { requestedBy: { username: 'ann' } }, b: { id: '2' } } });
  assert.deepEqual(graph.made, ['orchestrator', 'authority']);
});

test('a fault keeps its code, path and request id; nothing of a bug is told', async () => {
  await using graph = await startGraph();
  const fault = await graph.ask('{ promotion(id: "missing") { id } }');
  assert.deepEqual(fault.body.errors, [
    {
      message: 'No such promotion.',
      path: ['promotion'],
      extensions: {
        code: 'RES_PROMOTION_NOT_FOUND',
        status: 404,
        category: 'resource',
        details: { id: 'missing' },
        validationErrors: [],
        requestId,
      },
    },
  ]);
  const bug = await graph.ask('{ promotion(id: "broken") { id } }');
  assert.equal(bug.body.errors[0].extensions.code, 'SYS_INTERNAL_ERROR');
  assert.doesNotMatch(JSON.stringify(bug.body), /secret/);
  assert.match(String(graph.bugs[0]), /select secret from nowhere/);
});

test('a null where none may be comes with an error', async () => {
  await using graph = await startGraph();
  const { body } = await graph.ask('{ promotion(id: "orphan") { requestedBy { username } } }');
  assert.equal(body.data.promotion, null);
  assert.deepEqual(body.errors[0].path, ['promotion', 'requestedBy', 'username']);
  assert.equal(body.extensions, undefined);
});

test('what is no operation of this schema is refused with a code', async () => {
  await using graph = await startGraph();
  assert.deepEqual(await codesOf(graph, '{ me { '), [400, 'VAL_INVALID_FORMAT']);
  assert.deepEqual(await codesOf(graph, '{ me { nothing } }'), [400, 'VAL_SCHEMA_MISMATCH']);
  assert.deepEqual(await codesOf(graph, 'query A { me { subject } } query B { me { subject } }'), [
    400,
    'VAL_INVALID_VALUE',
  ]);
});

test('variables that do not fit are named, all of them', async () => {
  await using graph = await startGraph();
  const query =
    'mutation ($input: CreateReleaseInput!, $id: ID!) { createRelease(input: $input) { id } x: cancelPromotion(input: { id: $id, reason: "r" }) { id } }';
  const { status, body } = await graph.ask(query, { input: { name: 7, more: 1, components: [{ name: 'api' }] } });
  assert.equal(status, 400);
  assert.deepEqual(
    body.errors[0].extensions.validationErrors
      .map(({ field, code }: { field: string; code: string }) => `${code} ${field}`)
      .toSorted(),
    ['id', 'input.components.0.repository', 'input.more', 'input.name', 'input.semver'].map(
      (at) => `VAL_SCHEMA_MISMATCH ${at}`,
    ),
  );
});

test('an operation that asks for too much is refused before it is planned', async () => {
  await using graph = await startGraph();
  const many = (count: number, text: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => text(at)).join(' ');
  const deep = '{ promotion(id: "1") { '.concat(
    'deployment { promotion { '.repeat(12),
    'id',
    ' } }'.repeat(12),
    ' } }',
  );
  assert.deepEqual(await codesOf(graph, `{ ${many(7_000, () => 'me')} }`), [400, 'VAL_TOO_LONG']);
  assert.deepEqual(await codesOf(graph, deep), [400, 'VAL_TOO_LONG']);
  assert.deepEqual(await codesOf(graph, `{ promotion(id: "1") { ${many(61, (at) => `a${at}: id`)} } }`), [
    400,
    'VAL_TOO_LONG',
  ]);
  // Each fragment spreads the one before it twice: 2^30 fields in 31 lines.
  const bomb = many(30, (at) => `fragment F${at + 1} on Promotion { ...F${at} ...F${at} }`);
  const codes = await codesOf(graph, `fragment F0 on Promotion { id } ${bomb} { promotion(id: "1") { ...F30 } }`);
  assert.deepEqual(codes, [400, 'VAL_TOO_LONG']);
});

test('a list inside lists without end is refused: what is read is multiplied at each', async () => {
  await using graph = await startGraph();
  const around = (times: number): string =>
    `{ promotion(id: "1") { release { ${'promotions { release { '.repeat(times)} id ${' } }'.repeat(times)} } } }`;
  assert.deepEqual(await codesOf(graph, around(5)), [400, 'VAL_TOO_LONG']);
  const { status, body } = await graph.ask(around(5));
  assert.deepEqual([status, body.errors[0].extensions.details], [400, { limit: 'lists', allowed: 4, asked: 5 }]);
  const named = `query Q { promotion(id: "1") { ...A } }
    fragment A on Promotion { release { promotions { ...B } } }
    fragment B on Promotion { release { promotions { release { promotions { release { promotions { release {
      promotions { id } } } } } } } } }`;
  assert.deepEqual(await codesOf(graph, named), [400, 'VAL_TOO_LONG'], 'through fragments too');
});

test('the schema can be read where that is allowed, and only there', async () => {
  await using open = await startGraph(true);
  await using closed = await startGraph(false);
  assert.equal((await open.ask('{ __schema { queryType { name } } }')).body.data.__schema.queryType.name, 'Query');
  assert.deepEqual(await codesOf(closed, '{ __schema { queryType { name } } }'), [400, 'VAL_SCHEMA_MISMATCH']);
});
