import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStep, draftInOrder, inputOf, problemsByStep } from './path-draft.ts';
import { stepMessage } from './step-message.ts';

test('approvals above the maximum are no relaxed policy, and are not sent', () => {
  const draft = changeStep(draftInOrder([{ id: 'prod', orderIndex: 0 }]), 'prod', { approvals: '11' });
  const { wrong } = inputOf(draft);
  const [problem] = problemsByStep(wrong, draft.steps).get('prod') ?? [];
  assert.equal(problem && stepMessage(problem), 'Enter a whole number from 0 to 10.');
  const refused = { field: 'policy.requiredApprovals', message: 'is less strict than prod', code: 'VAL_INVALID_VALUE' };
  assert.match(stepMessage(refused), /^Less strict than the environment/);
});
