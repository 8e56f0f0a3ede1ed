import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { silentLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { type BudgetLimits, createBudget } from '../http/cost-budget.ts';
import { createGraph } from './graph.ts';
import { localSource } from './local-source.ts';

const MODULES = ['airgap', 'artifacts', 'authority', 'notifier', 'orchestrator', 'registry-token', 'scanner', 'search'];

/** Starts the committed supergraph with one promotion and one card; entities they refer to are unknown. */
const startGraph = async (limits?: BudgetLimits) => {
  const bugs: unknown[] = [];
  const onBug = (bug: unknown): void => {
    bugs.push(bug);
  };
  const resolvers: Readonly<Record<string, object>> = {
    orchestrator: {
      Query: { promotion: () => ({ id: '1', requestedBy: { id: 'gone' } }) },
      Release: { __resolveReference: () => null },
    },
    authority: { Query: { me: () => ({ subject: 'ann' }) }, User: { __resolveReference: () => null } },
    search: {
      Query: { search: () => ({ cards: [{ title: 'gone', entity: { __typename: 'Release', id: 'gone' } }] }) },
    },
  };
  const sourceOf = (name: string) => {
    const schema = buildSubgraph(
      new URL(`../../subgraphs/${name}/schema.graphql`, import.meta.url),
      resolvers[name] ?? {},
    );
    return localSource({ name, schema, context: () => ({}), operations: [], workers: [] }, onBug);
  };
  const graph = await createGraph({
    introspection: true,
    log: silentLog,
    onBug,
    ...(limits && { budget: createBudget(systemClock, limits) }),
    sources: new Map(MODULES.map((name) => [name, sourceOf(name)])),
  });
  return {
    bugs,
    /**
     * Sends a request.
     * @returns status and first error code, of the graph or of the refused request
     */
    async send(body: unknown): Promise<readonly [number, string | undefined]> {
      const headers = { 'content-type': 'application/json' };
      try {
        const answer = await graph.answer({ method: 'POST', headers, search: '', body, caller: people.operator });
        return [answer.status, JSON.parse(answer.body).errors?.[0]?.extensions.code];
      } catch (error) {
        if (error instanceof Fault) return [error.status, error.code];
        throw error;
      }
    },
    /**
     * Sends an operation.
     * @returns status, headers and first error
     */
    async ask(query: string) {
      const headers = { 'content-type': 'application/json' };
      const body = { query };
      const answer = await graph.answer({ method: 'POST', headers, search: '', body, caller: people.operator });
      return { ...answer, error: JSON.parse(answer.body).errors?.[0]?.extensions };
    },
    [Symbol.asyncDispose]: () => graph.close(),
  };
};

const persisted = (persistedQuery: unknown, query?: string) => ({ query, extensions: { persistedQuery } });
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a mistake of the client in the request itself is 400 with a code, and no bug of ours', async () => {
  await using graph = await startGraph();
  const query = '{ me { subject } }';
  const cases: readonly (readonly [unknown, string])[] = [
    [{ query: 'subscription { __typename }' }, 'VAL_SCHEMA_MISMATCH'],
    [{ query: 'subscription { a: __typename ...F } fragment F on Query { me { subject } }' }, 'VAL_SCHEMA_MISMATCH'],
    [persisted({ version: 1, sha256Hash: hashOf('another') }, query), 'VAL_INVALID_VALUE'],
    [persisted({ version: 2, sha256Hash: hashOf(query) }, query), 'VAL_INVALID_VALUE'],
    [persisted({ version: '1', sha256Hash: hashOf(query) }, query), 'VAL_INVALID_VALUE'],
    [persisted({ version: 1, sha256Hash: 7 }, query), 'VAL_INVALID_VALUE'],
    [persisted({ version: 1, sha256Hash: 'x' }), 'VAL_INVALID_VALUE'],
    [persisted('yes', query), 'VAL_INVALID_VALUE'],
    [persisted([], query), 'VAL_INVALID_VALUE'],
    [[{ query }], 'VAL_INVALID_FORMAT'],
    [[], 'VAL_INVALID_FORMAT'],
    [null, 'VAL_INVALID_FORMAT'],
    [undefined, 'VAL_INVALID_FORMAT'],
    ['{ me { subject } }', 'VAL_INVALID_FORMAT'],
    [{}, 'VAL_INVALID_FORMAT'],
    [{ query: '' }, 'VAL_INVALID_FORMAT'],
    [{ query: null }, 'VAL_INVALID_FORMAT'],
    [{ query: { kind: 'Document' } }, 'VAL_INVALID_FORMAT'],
    [{ query, operationName: 7 }, 'VAL_INVALID_FORMAT'],
    [{ query, operationName: 'Other' }, 'VAL_INVALID_VALUE'],
    [{ query, variables: 'x' }, 'VAL_INVALID_FORMAT'],
    [{ query, variables: [1] }, 'VAL_INVALID_FORMAT'],
    [{ query, extensions: 'x' }, 'VAL_INVALID_FORMAT'],
    [
      { query: 'query ($x: Boolean = true) { me @include(if: $x) { subject } }', variables: { x: null } },
      'VAL_SCHEMA_MISMATCH',
    ],
    [{ query: 'query ($x: Boolean!) { me @skip(if: $x) { subject } }' }, 'VAL_SCHEMA_MISMATCH'],
  ];
  for (const [body, code] of cases) assert.deepEqual(await graph.send(body), [400, code], JSON.stringify(body));
  const unknown = await graph.send(persisted({ version: 1, sha256Hash: hashOf('{ never }') }));
  assert.deepEqual(unknown, [200, 'RES_NOT_FOUND'], 'a client of persisted queries sends the text next');
  assert.deepEqual(await graph.send(persisted({ version: 1, sha256Hash: hashOf(query) }, query)), [200, undefined]);
  assert.deepEqual(await graph.send(persisted({ version: 1, sha256Hash: hashOf(query) })), [200, undefined]);
  assert.deepEqual(graph.bugs, []);
});

test('a document that nests without end is refused before anything recurses into it', async () => {
  await using graph = await startGraph();
  const times = 1_400;
  const documents = [
    `{ ${'... { '.repeat(times)} me { subject } ${'} '.repeat(times)} }`,
    `{ me { ${'... on Me { '.repeat(times)} subject ${'} '.repeat(times)} } }`,
    `{ releases(filter: { text: ${'['.repeat(times)}${']'.repeat(times)} }) { pageInfo { endCursor } } }`,
    `query ($a: ${'['.repeat(times)}Int${']'.repeat(times)}) { me { subject } }`,
    `{ ${'... { '.repeat(times)}`,
  ];
  for (const query of documents)
    assert.deepEqual(await graph.send({ query }), [400, 'VAL_TOO_LONG'], query.slice(0, 40));
  const many = Array.from({ length: 120 }, () => '... on Me { subject }').join(' ');
  assert.deepEqual(
    await graph.send({ query: `{ me { ${many} } } # ${'{'.repeat(times)}` }),
    [200, undefined],
    'side by side',
  );
  assert.deepEqual(graph.bugs, []);
});

test('what another module does not know is null where null may be, without an error; elsewhere it is one', async () => {
  await using graph = await startGraph();
  const query = '{ search(input: { q: "x" }) { cards { title entity { ... on Release { name } } } } }';
  assert.deepEqual(await graph.send({ query }), [200, undefined]);
  const [status, code] = await graph.send({ query: '{ promotion(id: "1") { requestedBy { username } } }' });
  assert.deepEqual([status, code], [200, 'SYS_INTERNAL_ERROR']);
});

test('an operation that is too dear is 400, one beyond the caller’s budget 429 with the time to come again', async () => {
  await using graph = await startGraph({ perRequest: 1_200, perSecond: 100, burst: 1_500 });
  const search = (count: number): string =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: search(input: { q: "x" }) { topK }`).join(' ')} }`;
  const dear = await graph.ask(search(3));
  assert.deepEqual(
    [dear.status, dear.error.code, dear.error.details],
    [400, 'cost_limit_exceeded', { cost: 1_500, allowed: 1_200 }],
  );
  assert.equal((await graph.ask(search(2))).error?.code, 'SYS_INTERNAL_ERROR', 'it is run, if by too little a module');
  const spent = await graph.ask(search(2));
  assert.deepEqual([spent.status, spent.error.code, spent.error.details.cost], [429, 'cost_budget_exhausted', 1_000]);
  assert.match(spent.headers['retry-after'] ?? '', /^[45]$/);
  assert.equal((await graph.ask('{ me { subject } }')).status, 200, 'what is cheap is still answered');
});
