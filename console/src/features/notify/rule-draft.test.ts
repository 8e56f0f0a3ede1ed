import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf, draftProblems, matcherInputs, ruleInput, ruleProblems, triedRule } from './rule-draft.ts';

const RULE = {
  __typename: 'NotificationRule',
  id: '1',
  name: 'failed',
  isEnabled: true,
  version: 3,
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
      recipients: null,
      templateKey: 'generic',
      locale: 'de',
      throttle: { __typename: 'NotificationThrottle', key: ['attributes.product'], max: 2, windowSeconds: 120 },
      groupBy: ['attributes.product'],
      groupWaitSeconds: 10,
      groupIntervalSeconds: 60,
      repeatIntervalSeconds: 3_600,
      digest: {
        __typename: 'NotificationDigest',
        schedule: { __typename: 'DigestSchedule', times: ['08:30'], weekdays: ['MONDAY'], daysOfMonth: null },
        timeZone: 'Europe/Berlin',
        sendsFirst: false,
      },
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
        groupBy: ['attributes.product'],
        groupWaitSeconds: 10,
        groupIntervalSeconds: 60,
        repeatIntervalSeconds: 3_600,
        digest: {
          schedule: { times: ['08:30'], weekdays: ['MONDAY'], daysOfMonth: null },
          timeZone: 'Europe/Berlin',
          sendsFirst: false,
        },
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

test('a number that is none is refused before anything is sent', () => {
  const draft = draftOf(RULE);
  const actions = draft.actions.map((row) => ({ ...row, max: 'few', groupBy: '', wait: '' }));
  const fields = draftProblems({ ...draft, priority: '', actions }).map(({ field }) => field);
  assert.deepEqual(fields, ['priority', 'actions.0.throttle.max']);
  assert.deepEqual(draftProblems(draft), []);
});

test('a refusal stands at the field that it is about', () => {
  const at = (field: string) => ruleProblems([{ field, message: '', code: '' }])[0]?.field;
  assert.equal(at('rule.matchers.0.values'), 'matchers.0.values');
  assert.equal(at('matchers.1.values.0'), 'matchers.1.values');
  assert.equal(at('actions.0.throttle.key.1'), 'actions.0.throttle.key');
  assert.equal(at('name'), 'name');
});
