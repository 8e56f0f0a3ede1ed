import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waterfall } from './waterfall.ts';

const factor = (name: string, weighted: number) => ({ name, weight: 1, raw: weighted, weighted, source: 'policy' });

test('each bar begins where the one before it ended, and the last ends at the score', () => {
  const { bars, sum, isExact } = waterfall([factor('cvss', 0.343), factor('epss', 0.002), factor('tail', 0.05)], 0.395);
  assert.deepEqual(
    bars.map(({ name, start, end }) => [name, start, end]),
    [
      ['cvss', 0, 0.343],
      ['epss', 0.343, 0.345],
      ['tail', 0.345, 0.395],
    ],
  );
  assert.deepEqual([sum, isExact], [0.395, true]);
});

test('a negative factor leads back towards 0', () => {
  const { bars, sum } = waterfall([factor('cvss', 0.35), factor('vex', -0.35), factor('tail', 0)], 0);
  assert.deepEqual(
    bars.map(({ start, end }) => [start, end]),
    [
      [0, 0.35],
      [0.35, 0],
      [0, 0],
    ],
  );
  assert.equal(sum, 0);
});

test('decimals that a computer cannot add exactly still sum to the score', () => {
  const tenths = Array.from({ length: 9 }, (_, index) => factor(`f${index}`, 0.1));
  assert.deepEqual(waterfall(tenths, 0.9).isExact, true);
  assert.notEqual(
    tenths.reduce((sum, { weighted }) => sum + weighted, 0),
    0.9,
  );
});

test('factors that do not give the score are not exact', () => {
  assert.deepEqual(waterfall([factor('cvss', 0.343)], 0.343001).isExact, false);
  assert.deepEqual(waterfall([], 0), { bars: [], sum: 0, isExact: true });
});
