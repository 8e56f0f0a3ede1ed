import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EvaluationCase, evaluate, questionsOf } from './quality-gate.ts';

const cases = (count: number, message: readonly string[], both: readonly string[]): EvaluationCase[] =>
  Array.from({ length: count }, () => ({ expected: 'a', words: message, both }));

test('vectors pass that put the right answer no lower than words do', () => {
  const better = evaluate(cases(10, ['b', 'a'], ['a', 'b']));
  assert.deepEqual(better, { isOpen: true, cases: 10, mrrWords: 0.5, mrrBoth: 1 });
  assert.equal(evaluate(cases(10, ['a'], ['a'])).isOpen, true);
});

test('vectors that lower the mean reciprocal rank do not pass, however little', () => {
  const almost = [...cases(99, ['a'], ['a']), ...cases(1, ['a'], ['b', 'a'])];
  assert.equal(evaluate(almost).isOpen, false);
});

test('too few questions keep the gate closed; what stands behind the tenth place counts for nothing', () => {
  assert.equal(evaluate(cases(9, ['b'], ['a'])).isOpen, false);
  assert.equal(evaluate([]).isOpen, false);
  const far = [...'bcdefghijk', 'a'];
  assert.deepEqual(evaluate(cases(10, far, far)), { isOpen: true, cases: 10, mrrWords: 0, mrrBoth: 0 });
});

test('an open gate never means a lower mean', () => {
  const ranking = fc.shuffledSubarray([...'abcdefghijkl']);
  fc.assert(
    fc.property(fc.array(fc.record({ expected: fc.constantFrom('a', 'b'), words: ranking, both: ranking })), (all) => {
      const { isOpen, mrrWords, mrrBoth } = evaluate(all);
      assert.ok(!isOpen || mrrBoth >= mrrWords);
    }),
  );
});

test('questions are a document’s words, as they stand and so that no word stands as it is', () => {
  const sample = { entityKey: 'a', title: 'Prototype pollution in merge', body: 'Attackers change objects of others.' };
  const [plain, ...others] = questionsOf(sample);
  assert.equal(plain, 'prototype pollution merge');
  assert.ok(others.some((question) => !/\b(prototype|pollution|merge)\b/u.test(question)));
  assert.deepEqual(questionsOf(sample), questionsOf(sample));
  assert.deepEqual(questionsOf({ entityKey: 'a', title: 'One', body: '' }), []);
});
