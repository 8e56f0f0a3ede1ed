import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPath } from './path-layout.ts';

const step = (id: string, ...after: string[]) => ({ id, after });

const pointsOf = (...steps: ReturnType<typeof step>[]) =>
  Object.fromEntries([...layOutPath(steps).places].map(([id, { column, row }]) => [id, [column, row]]));

test('steps in order stand in one row', () => {
  assert.deepEqual(pointsOf(step('dev'), step('test', 'dev'), step('prod', 'test')), {
    dev: [0, 0],
    test: [1, 0],
    prod: [2, 0],
  });
});

test('parallel regions stand above each other, and what is before and after them between', () => {
  assert.deepEqual(pointsOf(step('dev'), step('eu', 'dev'), step('us', 'dev'), step('world', 'eu', 'us')), {
    dev: [0, 0.5],
    eu: [1, 0],
    us: [1, 1],
    world: [2, 0.5],
  });
});

test('an edge that skips a column passes beside its steps', () => {
  const {
    edges,
    places: points,
    rows,
  } = layOutPath([
    step('dev'),
    step('test', 'dev'),
    step('stage', 'test'),
    step('load', 'dev'),
    step('prod', 'stage', 'load'),
  ]);
  const skipping = edges.find(({ from, to }) => from === 'load' && to === 'prod');
  assert.deepEqual(
    skipping?.points.map(({ column }) => column),
    [1, 2, 3],
  );
  assert.notEqual(skipping?.points[1]?.row, points.get('stage')?.row);
  assert.equal(rows, 2);
});

test('edges that would cross are ordered so that they do not', () => {
  const points = pointsOf(step('a'), step('b'), step('of-b', 'b'), step('of-a', 'a'));
  assert.deepEqual(
    [points['of-a'], points['of-b']],
    [
      [1, 0],
      [1, 1],
    ],
  );
});

test('a cycle is drawn, and the edge that closes it is told apart', () => {
  const { columns, edges } = layOutPath([step('a', 'b'), step('b', 'a'), step('c', 'b')]);
  assert.equal(columns, 2);
  assert.equal(edges.filter(({ isBackward }) => isBackward).length, 1);
});

test('an empty path has no columns, and 500 linked steps have one for each group', () => {
  assert.deepEqual([layOutPath([]).columns, layOutPath([]).rows], [0, 0]);
  // Groups of four, each fully linked to the one before.
  const steps = Array.from({ length: 500 }, (_, index) => {
    const group = Math.floor(index / 4) * 4;
    return step(String(index), ...(group === 0 ? [] : [4, 3, 2, 1].map((back) => String(group - back))));
  });
  assert.equal(layOutPath(steps).columns, 125);
});
