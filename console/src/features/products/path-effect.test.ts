import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStep, draftInOrder, removeStep } from './path-draft.ts';
import { conditionsOf, cycleOf, directEdges, passedBefore, pathEffect } from './path-effect.ts';

const environments = ['dev', 'eu', 'us', 'prod'].map((id, at) => ({
  id,
  orderIndex: at * 10,
  requiredApprovals: id === 'prod' ? 2 : 0,
  separationOfDuties: 'OFF' as const,
  requiredEvidence: [],
}));
const inOrder = draftInOrder(environments);
const regions = changeStep(changeStep(inOrder, 'us', { after: ['dev'] }), 'prod', { after: ['eu', 'us'] });

test('a path in order is drawn as a chain, and parallel regions as a fork', () => {
  assert.deepEqual(Object.fromEntries(directEdges(inOrder.steps)), { dev: [], eu: ['dev'], us: ['eu'], prod: ['us'] });
  assert.deepEqual(Object.fromEntries(directEdges(regions.steps)), {
    dev: [],
    eu: ['dev'],
    us: ['dev'],
    prod: ['eu', 'us'],
  });
});

test('a release passes all environments before a step, or those that every way to it has in common', () => {
  const any = changeStep(regions, 'prod', { need: 'ANY' });
  assert.deepEqual([...(passedBefore(regions.steps).get('prod') ?? [])].toSorted(), ['dev', 'eu', 'us']);
  assert.deepEqual([...(passedBefore(any.steps).get('prod') ?? [])], ['dev']);
});

test('the effect names what is reached without others, and which conditions change', () => {
  const any = changeStep(regions, 'prod', { need: 'ANY', approvals: '3' });
  const effect = pathEffect(regions.steps, any.steps, environments);
  assert.deepEqual(effect.skips, [{ id: 'prod', without: ['eu', 'us'] }]);
  assert.deepEqual(
    effect.changed.map(({ id, what, before, after }) => [id, what, before.approvals, after.approvals]),
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

test('a cycle is found, with its steps', () => {
  const circle = changeStep(inOrder, 'eu', { after: ['prod'] });
  assert.deepEqual(cycleOf(circle.steps).toSorted(), ['eu', 'prod']);
  assert.deepEqual(cycleOf(inOrder.steps), []);
  assert.deepEqual(pathEffect(inOrder.steps, circle.steps, environments).skips, []);
});

test('a policy is only stricter than its environment unless it says otherwise', () => {
  const [, , , prod] = environments;
  const step = changeStep(inOrder, 'prod', { approvals: '1' }).steps.at(-1);
  assert.ok(prod && step);
  assert.equal(conditionsOf(step, prod).approvals, 2);
  assert.equal(conditionsOf({ ...step, relaxes: true }, prod).approvals, 1);
  assert.equal(conditionsOf({ ...step, duties: 'AUTHOR' }, prod).duties, 'AUTHOR');
});
