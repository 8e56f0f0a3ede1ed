import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStep, changeStep, draftInOrder, inputOf, problemsByStep, removeStep } from './path-draft.ts';

const environments = ['dev', 'test', 'prod'].map((id, index) => ({ id, orderIndex: index * 10 }));
const inOrder = draftInOrder(environments);
const afterOf = ({ steps }: typeof inOrder) => Object.fromEntries(steps.map(({ id, after }) => [id, after]));

test('the environments in order are no path of the product’s own', () => {
  assert.deepEqual(afterOf(inOrder), { dev: [], test: ['dev'], prod: ['dev', 'test'] });
  assert.deepEqual(inputOf(inOrder), { steps: null, wrong: [] });
});

test('a step that is taken out leaves what came after it after what came before it', () => {
  const chain = changeStep(inOrder, 'prod', { after: ['test'] });
  assert.deepEqual(afterOf(removeStep(chain, 'test')), { dev: [], prod: ['dev'] });
});

test('an added environment comes after the one before it in order', () => {
  const without = removeStep(inOrder, 'test');
  assert.deepEqual(afterOf(addStep(without, 'test', environments)), { dev: [], test: ['dev'], prod: ['dev'] });
  assert.deepEqual(afterOf(addStep({ isInOrder: false, steps: [] }, 'prod', environments)), { prod: [] });
});

test('only what a step sets is sent as its policy', () => {
  const { steps } = inputOf(changeStep(inOrder, 'dev', { labels: 'region=eu', approvals: '2', need: 'ANY' }));
  assert.deepEqual(steps?.[0], {
    environmentId: 'dev',
    after: [],
    need: 'ANY',
    targetLabels: [{ name: 'region', value: 'eu' }],
    policy: { requiredApprovals: 2, relaxes: false },
  });
  assert.deepEqual(steps?.[1]?.policy, { relaxes: false });
});

test('what makes no sense is named by step and field, as the server names what it refuses', () => {
  const draft = changeStep(changeStep(inOrder, 'test', { labels: 'region' }), 'prod', { approvals: 'two' });
  const { wrong } = inputOf(draft);
  assert.deepEqual(
    [...problemsByStep(wrong, draft.steps)].map(([id, problems]) => [id, problems.map(({ field }) => field)]),
    [
      ['test', ['targetLabels']],
      ['prod', ['policy.requiredApprovals']],
    ],
  );
  const refused = [{ field: 'steps.2.targetLabels.0.value', message: '', code: 'VAL_INVALID_FORMAT' }];
  assert.deepEqual(problemsByStep(refused, draft.steps).get('prod')?.[0]?.field, 'targetLabels');
});
