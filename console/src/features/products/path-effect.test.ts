import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStep, draftInOrder, removeStep } from './path-draft.ts';
import { conditionsOf, pathEffect } from './path-effect.ts';

const environments = ['dev', 'eu', 'us', 'prod'].map((id, index) => ({
  id,
  orderIndex: index * 10,
  requiredApprovals: id === 'prod' ? 2 : 0,
  separationOfDuties: 'OFF' as const,
  requiredEvidence: [],
}));
const inOrder = draftInOrder(environments);
const regions = changeStep(changeStep(inOrder, 'us', { after: ['dev'] }), 'prod', { after: ['eu', 'us'] });

test('the effect names what is reached without others, and which conditions change', () => {
  const any = changeStep(regions, 'prod', { need: 'ANY', approvals: '3' });
  const effect = pathEffect(regions.steps, any.steps, environments);
  assert.deepEqual(effect.skips, [{ id: 'prod', without: ['eu', 'us'] }]);
  assert.deepEqual(
    effect.changed.map(({ id, what: name, before, after }) => [id, name, before.approvals, after.approvals]),
    [['prod', ['need', 'approvals'], 2, 3]],
  );
  assert.deepEqual([effect.added, effect.removed, effect.cycle], [[], [], []]);
});

test('an environment that leaves the path is reached around', () => {
  const effect = pathEffect(inOrder.steps, removeStep(inOrder, 'eu').steps, environments);
  assert.deepEqual(effect.removed, ['eu']);
  assert.deepEqual(
    effect.skips.map(({ id, without }) => [id, without]),
    [
      ['us', ['eu']],
      ['prod', ['eu']],
    ],
  );
});

test('an unchanged path has no effect', () => {
  assert.deepEqual(pathEffect(regions.steps, regions.steps, environments), {
    added: [],
    removed: [],
    changed: [],
    skips: [],
    cycle: [],
  });
});

test('a path with a cycle says so, and nothing about what can be reached', () => {
  const cyclic = changeStep(inOrder, 'eu', { after: ['prod'] });
  const { cycle, skips } = pathEffect(inOrder.steps, cyclic.steps, environments);
  assert.deepEqual([cycle.toSorted(), skips], [['eu', 'prod'], []]);
});

test('a policy is only stricter than its environment unless it says otherwise', () => {
  const [, , , prod] = environments;
  const step = changeStep(inOrder, 'prod', { approvals: '1' }).steps.at(-1);
  assert.ok(prod && step);
  assert.equal(conditionsOf(step, prod).approvals, 2);
  assert.equal(conditionsOf({ ...step, relaxes: true }, prod).approvals, 1);
  assert.equal(conditionsOf({ ...step, duties: 'AUTHOR' }, prod).duties, 'AUTHOR');
});
