import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import { seededIds } from '../testing/ids.ts';
import { parser } from './input.ts';
import { connectionOf, decodeCursor, encodeCursor, MAX_PAGE, pageFields, pageOf } from './page.ts';

const ids = seededIds('page');
const items = Array.from({ length: 3 }, () => ({ id: ids.uuid() }));

test('a page is at most what was asked for, and the row too many only says that there is more', () => {
  assert.deepEqual(pageOf(items, 3), { items, hasNextPage: false });
  assert.deepEqual(pageOf(items, 2), { items: items.slice(0, 2), hasNextPage: true });
  assert.deepEqual(pageOf([], 2), { items: [], hasNextPage: false });
});

test('a connection ends at the cursor of its last row, and at none when it is empty', () => {
  const { edges, pageInfo } = connectionOf(pageOf(items, 2));
  assert.deepEqual(
    edges.map(({ node }) => node),
    items.slice(0, 2),
  );
  assert.equal(pageInfo.endCursor, edges[1]?.cursor);
  assert.equal(decodeCursor(pageInfo.endCursor ?? ''), items[1]?.id);
  assert.deepEqual(connectionOf(pageOf([], 1)).pageInfo, { hasNextPage: false, endCursor: null });
});

test('what is no cursor of ours is refused by name', () => {
  const uuid = ids.uuid();
  const other = ['', 'x', uuid, encodeCursor('not-an-id'), encodeCursor(`${uuid}0`), encodeCursor(`'; --${uuid}`)];
  for (const cursor of other)
    assert.throws(
      () => decodeCursor(cursor),
      (error) => error instanceof Fault && error.code === 'VAL_INVALID_FORMAT' && error.fields[0]?.field === 'after',
      cursor,
    );
});

test('nobody asks for a page of none, or for more than is served', () => {
  const parse = parser(Type.Object(pageFields));
  assert.deepEqual(parse({ first: MAX_PAGE }), { first: MAX_PAGE });
  for (const first of [0, -1, MAX_PAGE + 1, 1.5]) assert.throws(() => parse({ first }), Fault, String(first));
});
