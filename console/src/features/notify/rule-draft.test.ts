import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf, matcherInputs, ruleInput, ruleProblems, triedRule } from './rule-draft.ts';

const RULE = {
  __typename: 'NotificationRule',
  id: '1',
  name: 'failed',
  isEnabled: true,
  priority: 5,
  continues: false,
  matchers: [
    { __typename: 'NotificationMatcher', path: 'kind', op: 'EQ', values: ['deployment.failed'] },
    { __typename: 'NotificationMatcher', path: 'attributes.environment', op: 'IN', values: ['prod', 'staging'] },
  ],
  actions: [
    {
      __typename: 'NotificationAction',
      channelId: 'c',
      channel: null,
      templateKey: 'generic',
      locale: 'de',
      throttle: { __typename: 'NotificationThrottle', key: ['attributes.product'], max: 2, windowSeconds: 120 },
      mutedDuring: ['i', 'j'],
      activeDuring: [],
    },
  ],
} satisfies Parameters<typeof draftOf>[0];

test('a rule that is opened and saved stays as it is', () => {
  assert.deepEqual(ruleInput(draftOf(RULE)), {
    name: 'failed',
    isEnabled: true,
    priority: 5,
    continues: false,
    matchers: [
      { path: 'kind', op: 'EQ', values: ['deployment.failed'] },
      { path: 'attributes.environment', op: 'IN', values: ['prod', 'staging'] },
    ],
    actions: [
      {
        channelId: 'c',
        templateKey: 'generic',
        locale: 'de',
        throttle: { key: ['attributes.product'], max: 2, windowSeconds: 120 },
        mutedDuring: ['i', 'j'],
        activeDuring: [],
      },
    ],
  });
});

test('commas separate values where the operator takes several, and belong to the value elsewhere', () => {
  const row = { key: 0, path: ' kind ', values: 'a, b' };
  assert.deepEqual(
    matcherInputs([
      { ...row, op: 'IN' },
      { ...row, op: 'REGEX' },
    ]),
    [
      { path: 'kind', op: 'IN', values: ['a', 'b'] },
      { path: 'kind', op: 'REGEX', values: ['a, b'] },
    ],
  );
});

test('an empty draft is tried without its name and its empty action', () => {
  const { name, actions } = triedRule(draftOf(undefined), undefined);
  assert.deepEqual([name, actions], [undefined, []]);
});

test('a refusal stands at the field that it is about', () => {
  const at = (field: string) => ruleProblems([{ field, message: '', code: '' }])[0]?.field;
  assert.equal(at('rule.matchers.0.value'), 'matchers.0.values');
  assert.equal(at('matchers.1.values.0'), 'matchers.1.values');
  assert.equal(at('actions.0.throttle.key.1'), 'actions.0.throttle.key');
  assert.equal(at('name'), 'name');
});
