import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driftMap } from './drift-map.ts';

const shop = { __typename: 'Product' as const, id: 'p1', name: 'shop' };
const books = { __typename: 'Product' as const, id: 'p2', name: 'books' };

const cell = (environment: string, component: string, drift: number, inSync: number, unobserved: number) => ({
  __typename: 'EstateCell' as const,
  product: shop,
  environment: { __typename: 'Environment' as const, id: environment, name: environment.toUpperCase() },
  component,
  total: drift + inSync + unobserved,
  drift,
  inSync,
  unobserved,
});

test('every environment has a cell of every component; what was not deployed there has no state', () => {
  const { columns, rows } = driftMap([
    cell('dev', 'web', 0, 2, 0),
    cell('prod', 'api', 1, 0, 3),
    cell('prod', 'web', 0, 1, 1),
  ]);
  assert.deepEqual(columns, ['api', 'web']);
  assert.deepEqual(
    rows.map(({ name, cells }) => [name, cells.map(({ state }) => state)]),
    [
      ['DEV', [undefined, 'IN_SYNC']],
      ['PROD', ['DRIFT', 'UNOBSERVED']],
    ],
  );
  assert.deepEqual(
    rows.map(({ total, drift, unobserved }) => [total, drift, unobserved]),
    [
      [2, 0, 0],
      [6, 1, 4],
    ],
  );
});

test('past forty components a column counts those that share their first word', () => {
  const many = Array.from({ length: 42 }, (_, i) =>
    cell('dev', `${i % 2 === 0 ? 'pay' : 'shop'}-${i}`, i === 3 ? 1 : 0, 1, 0),
  );
  const { columns, isGrouped, rows } = driftMap(many);
  assert.deepEqual([columns, isGrouped], [['pay', 'shop'], true]);
  assert.deepEqual(
    rows[0]?.cells.map(({ total, state }) => [total, state]),
    [
      [21, 'IN_SYNC'],
      [22, 'DRIFT'],
    ],
  );
});

test('components of the same name have a column for each of their products', () => {
  const { columns, rows } = driftMap([
    cell('dev', 'api', 0, 1, 0),
    cell('dev', 'web', 0, 1, 0),
    { ...cell('dev', 'web', 1, 0, 0), product: books },
  ]);
  assert.deepEqual(columns, ['api', 'web books', 'web shop']);
  assert.deepEqual(
    rows[0]?.cells.map(({ component, productId, state }) => [component, productId, state]),
    [
      ['api', undefined, 'IN_SYNC'],
      ['web', 'p2', 'DRIFT'],
      ['web', 'p1', 'IN_SYNC'],
    ],
  );
});
