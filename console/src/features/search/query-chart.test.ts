import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf } from './query-chart.ts';

const point = (queryCount: number, zeroResultCount: number, clickCount: number) => ({
  queryCount,
  zeroResultCount,
  clickCount,
});

test('the highest column fills the picture, and what found nothing is its share of it', () => {
  const { bars, line } = barsOf([point(10, 5, 0), point(5, 0, 10)], 100, 104);
  assert.deepEqual(
    bars.map(({ height, zero }) => [height, zero]),
    [
      [100, 50],
      [50, 0],
    ],
  );
  assert.deepEqual(
    bars.map(({ x, width }) => [x, x + width]),
    [
      [3, 47],
      [53, 97],
    ],
  );
  assert.equal(line, 'M25 104L75 4');
});

test('where nothing was asked there is nothing to see, and no column is wider than its share', () => {
  assert.deepEqual(barsOf([], 100, 104), { bars: [], line: '' });
  const { bars } = barsOf([point(0, 0, 0)], 100, 104);
  assert.deepEqual(bars, [{ x: 3, width: 94, height: 0, zero: 0 }]);
});
