import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStep, draftInOrder, removeStep } from './path-draft.ts';
import { rebase } from './path-rebase.ts';

const before = draftInOrder(['dev', 'eu', 'us', 'prod'].map((id, index) => ({ id, orderIndex: index * 10 })));
const stepOf = ({ steps }: typeof before, id: string) => steps.find((step) => step.id === id);
const own = changeStep(before, 'dev', {});

test('changes of other fields and other steps meet in the newest path', () => {
  const draft = changeStep(changeStep(own, 'prod', { approvals: '3' }), 'us', { labels: 'region=us' });
  const newest = changeStep(changeStep(own, 'prod', { labels: 'ring=1' }), 'eu', { need: 'ANY' });
  const merged = rebase(own, draft, newest);
  assert.deepEqual(merged.dropped, []);
  const prod = stepOf(merged.draft, 'prod');
  assert.deepEqual([prod?.approvals, prod?.labels], ['3', 'ring=1']);
  assert.deepEqual([stepOf(merged.draft, 'us')?.labels, stepOf(merged.draft, 'eu')?.need], ['region=us', 'ANY']);
});

test('a step that was taken out stays out, and one that was added stays', () => {
  const draft = { isInOrder: false, steps: [...removeStep(own, 'eu').steps, { ...step('asia'), after: ['us'] }] };
  const newest = changeStep(own, 'prod', { approvals: '2' });
  const merged = rebase(own, draft, newest);
  assert.deepEqual(
    merged.draft.steps.map(({ id, after }) => [id, after]),
    [
      ['dev', []],
      ['us', ['dev']],
      ['prod', ['dev', 'us']],
      ['asia', ['us']],
    ],
  );
  assert.equal(stepOf(merged.draft, 'prod')?.approvals, '2');
});

test('changes of a step that has left the path are dropped and named, and so is an order after it', () => {
  const draft = changeStep(changeStep(own, 'eu', { labels: 'region=eu' }), 'prod', { after: ['eu', 'us'] });
  const merged = rebase(own, draft, removeStep(own, 'eu'));
  assert.deepEqual(merged.dropped, ['eu', 'prod']);
  assert.deepEqual(stepOf(merged.draft, 'prod')?.after, ['us']);
});

test('the choice of the environments in order stands whatever the newest path is', () => {
  assert.deepEqual(rebase(own, before, removeStep(own, 'eu')), { draft: before, dropped: [] });
});

function step(id: string) {
  const [first] = before.steps;
  assert.ok(first);
  return { ...first, id };
}
