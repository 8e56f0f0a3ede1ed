import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { GraphQLError, graphql } from 'graphql';
import { Fault, invalid } from '../core/fault.ts';
import { buildSubgraph, formatGraphError } from './subgraph.ts';

const directory = await mkdtemp(join(tmpdir(), 'landfall-sdl-'));
after(() => rm(directory, { recursive: true }));
const file = join(directory, 'schema.graphql');
await writeFile(
  file,
  `enum Mood { VERY_GOOD BAD }
   type Query { mood(is: Mood!): Mood! odd: Mood! at: DateTime! text: DateTime! number: DateTime! broken: String! }`,
);

const requests: unknown[] = [];
const schema = buildSubgraph(pathToFileURL(file), {
  Query: {
    mood: (_: unknown, { is }: { is: string }) => {
      requests.push(is);
      return is;
    },
    odd: () => 'VERY_GOOD',
    at: () => new Date('2026-01-15T09:00:00Z'),
    text: () => '2026-01-15T09:00:00.000Z',
    number: () => 7,
    broken: () => {
      throw new Error('connection string postgres://secret');
    },
  },
});

const ask = async (source: string) => JSON.parse(JSON.stringify(await graphql({ schema, source })));

test('enum words are in capitals outside and in lower case inside, both ways', async () => {
  assert.deepEqual(await ask('{ mood(is: VERY_GOOD) }'), { data: { mood: 'VERY_GOOD' } });
  assert.deepEqual(requests, ['very_good']);
  const { errors } = await ask('{ odd }');
  assert.match(errors[0].message, /cannot represent value: "VERY_GOOD"/);
});

test('an instant is written in UTC with milliseconds, and nothing else is an instant', async () => {
  const { data } = await ask('{ at text }');
  assert.deepEqual(data, { at: '2026-01-15T09:00:00.000Z', text: '2026-01-15T09:00:00.000Z' });
  assert.equal((await ask('{ number }')).errors.length, 1);
});

test('the schema is a subgraph: it tells its SDL to a composer', async () => {
  const { data } = await ask('{ _service { sdl } }');
  assert.match(data._service.sdl, /enum Mood/);
});

const formatted = (original: Error) => {
  const bugs: unknown[] = [];
  const error = new GraphQLError(original.message, { originalError: original, path: ['a', 0] });
  return { bugs, shown: formatGraphError(error, 'request-1', (bug) => bugs.push(bug)) };
};

test('a fault is shown whole: code, status, category, details, fields and request id', () => {
  const { shown: visible, bugs } = formatted(new Fault('RES_RELEASE_NOT_FOUND', 'No release x.', { id: 'x' }));
  assert.deepEqual(visible, {
    message: 'No release x.',
    path: ['a', 0],
    extensions: {
      code: 'RES_RELEASE_NOT_FOUND',
      status: 404,
      category: 'resource',
      details: { id: 'x' },
      validationErrors: [],
      requestId: 'request-1',
    },
  });
  assert.deepEqual(bugs, []);
  const fields = [{ field: 'name', message: 'is required', code: 'VAL_REQUIRED_FIELD' }] as const;
  const { extensions } = formatted(invalid(fields)).shown;
  assert.deepEqual([extensions?.details, extensions?.validationErrors], [null, fields]);
});

test('anything else is masked, and its original told to the host alone', () => {
  const original = new Error('connection string postgres://secret');
  const { shown: visible, bugs } = formatted(original);
  assert.equal(visible.extensions?.code, 'SYS_INTERNAL_ERROR');
  assert.ok(!JSON.stringify(visible).includes('secret'));
  assert.deepEqual(bugs, [original]);
});

test('the cause of an outage is told to the host, and to nobody else', () => {
  const outage = new Fault('SYS_DATABASE_ERROR', 'The database does not answer.', undefined, [], {
    cause: new Error('connect ECONNREFUSED 10.0.0.7:5432'),
  });
  const { shown: visible, bugs } = formatted(outage);
  assert.deepEqual(bugs, [outage]);
  assert.doesNotMatch(JSON.stringify(visible), /10\.0\.0\.7/);
  assert.deepEqual(formatted(new Fault('SYS_OVERLOADED', 'Try again.')).bugs, []);
});

test('what is wrong with the request itself has no original and keeps its words', async () => {
  const { errors } = await graphql({ schema, source: '{ nothing }' });
  const [error] = errors ?? [];
  assert.ok(error);
  const visible = formatGraphError(error, 'request-1', () => assert.fail('no bug'));
  assert.match(visible.message, /Cannot query field "nothing"/);
});
