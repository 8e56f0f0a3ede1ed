import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapInSteps, runAtOnce, runInTurns, STEP } from './steps.ts';

const values = Array.from({ length: 3 * STEP + 1 }, (_, at) => at);
const double = (value: number, at: number): number => value + at;

test('a computation in steps gives the same value at once and in turns', async () => {
  const expected = values.map(double);
  assert.deepEqual(runAtOnce(mapInSteps(values, double)), expected);
  assert.deepEqual(await runInTurns(mapInSteps(values, double)), expected);
  assert.deepEqual(runAtOnce(mapInSteps([], double)), []);
});

test('other work has a turn between two steps, none of which has more than its number of elements', async () => {
  let mapped = 0;
  let longest = 0;
  let before = 0;
  let turns = 0;
  let isRunning = true;
  const watch = (): void => {
    longest = Math.max(longest, mapped - before);
    before = mapped;
    turns += 1;
    if (isRunning) setImmediate(watch);
  };
  setImmediate(watch);
  await runInTurns(mapInSteps(values, () => (mapped += 1)));
  isRunning = false;
  assert.equal(mapped, values.length);
  assert.ok(turns >= 3, `${turns} turns`);
  assert.ok(longest <= STEP, `${longest} elements in one turn`);
});

test('an error in a step is thrown to the caller', async () => {
  const fail = (): never => {
    throw new RangeError('no');
  };
  await assert.rejects(runInTurns(mapInSteps(values, fail)), RangeError);
});
