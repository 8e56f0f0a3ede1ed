import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import fc from 'fast-check';
import { decideGate } from './analysis-gate.ts';
import { judgeMeasurement } from './measurement-verdict.ts';

const between = { min: 1, max: 2 };

test('a value within its bounds passes, the bounds themselves among them', () => {
  for (const value of [1, 1.5, 2]) assert.equal(judgeMeasurement([value], between).verdict, 'pass');
  assert.deepEqual(judgeMeasurement([0.5], between), { value: 0.5, verdict: 'fail', detail: '0.5 is below 1' });
  assert.deepEqual(judgeMeasurement([3], between), { value: 3, verdict: 'fail', detail: '3 is above 2' });
  assert.equal(judgeMeasurement([-5], { min: null, max: 2 }).verdict, 'pass');
  assert.equal(judgeMeasurement([500], { min: 1, max: null }).verdict, 'pass');
});

test('of several series the worst counts', () => {
  assert.deepEqual(judgeMeasurement([1.5, 4, 3, 0], between), {
    value: 4,
    verdict: 'fail',
    detail: '4 is above 2, the worst of 4 series',
  });
  assert.equal(judgeMeasurement([1.5, 1.9], between).value, 1.9);
  assert.equal(judgeMeasurement([1.5, Number.NaN, 4], between).verdict, 'fail');
});

test('no data, no number and no answer are unknown', () => {
  const refused = new Fault('INT_TIMEOUT', 'metrics.example did not answer in time.');
  assert.deepEqual(judgeMeasurement(refused, between), { value: null, verdict: 'unknown', detail: refused.message });
  assert.deepEqual(judgeMeasurement([], between), {
    value: null,
    verdict: 'unknown',
    detail: 'the query gave no data',
  });
  assert.equal(judgeMeasurement([Number.NaN], between).detail, 'the query gave NaN');
  assert.equal(judgeMeasurement([Infinity], { min: null, max: 2 }).verdict, 'unknown');
  assert.equal(judgeMeasurement([-Infinity], { min: 1, max: null }).verdict, 'unknown');
  assert.equal(judgeMeasurement([1.5, Number.NaN], between).detail, 'the query gave NaN among 2 series');
});

test('a pass has a number within its bounds, and whatever is no number never passes', () => {
  const value = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => {
      const { verdict, value: measured } = judgeMeasurement(values, between);
      const isFine = values.length > 0 && values.every((each) => each >= between.min && each <= between.max);
      assert.equal(verdict === 'pass', isFine);
      assert.equal(measured === null, verdict === 'unknown');
    }),
  );
});

const policy = { passes: 3, failures: 2 };

test('passes count in a row, and what is no pass ends the row', () => {
  assert.equal(decideGate([], policy), 'wait');
  assert.equal(decideGate(['pass', 'pass'], policy), 'wait');
  assert.equal(decideGate(['fail', 'pass', 'pass', 'pass'], policy), 'open');
  assert.equal(decideGate(['pass', 'pass', 'unknown', 'pass'], policy), 'wait');
  assert.equal(decideGate(['pass', 'pass', 'fail', 'pass', 'pass'], policy), 'wait');
});

test('fails count in all, and halt before anything opens', () => {
  assert.equal(decideGate(['fail', 'pass', 'pass', 'fail'], policy), 'halt');
  assert.equal(decideGate(['fail', 'fail', 'pass', 'pass', 'pass'], policy), 'halt');
});

test('unknowns alone neither open nor halt, however many there are', () => {
  fc.assert(
    fc.property(
      fc.nat(300),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 100 }),
      (n, passes, failures) => {
        assert.equal(
          decideGate(
            Array.from({ length: n }, () => 'unknown' as const),
            { passes, failures },
          ),
          'wait',
        );
      },
    ),
  );
});

test('an open gate has its passes at the end, and no more fails than are allowed', () => {
  const verdict = fc.constantFrom('pass' as const, 'fail' as const, 'unknown' as const);
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 20 }), (verdicts) => {
      const fails = verdicts.filter((each) => each === 'fail').length;
      const isRow = verdicts.length >= 3 && verdicts.slice(-3).every((each) => each === 'pass');
      const expected = fails >= 2 ? 'halt' : isRow ? 'open' : 'wait';
      assert.equal(decideGate(verdicts, policy), expected);
    }),
  );
});
