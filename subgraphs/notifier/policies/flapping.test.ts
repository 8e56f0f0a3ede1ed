import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { STATUSES, type Status } from '../events/event.ts';
import { when } from '../rules/testing/events.ts';
import { type FlappingPolicy, type FlappingState, quietAt, recordStatus, settleFlapping, steady } from './flapping.ts';

const POLICY: FlappingPolicy = {
  id: '00000000-0000-4000-8000-000000000003',
  name: 'Flapping checks',
  matchers: [when('kind', 'prefix', 'check.')],
  minChanges: 4,
  windowSeconds: 600,
  quietSeconds: 900,
};

const second = (seconds: number): Date => new Date(1_000 * seconds);

/** Effects of statuses at seconds. */
const effectsOf = (...steps: (readonly [Status, number])[]): string[] => {
  let state: FlappingState = steady;
  return steps.map(([status, at]) => {
    const step = recordStatus(state, POLICY, status, second(at));
    state = step.state;
    return step.effect;
  });
};

test('changes beyond the limit of the window are one notice that stays open until it is quiet', () => {
  const steps = [
    ['firing', 0],
    ['resolved', 60],
    ['firing', 120],
    ['resolved', 180],
    ['firing', 240],
    ['firing', 300],
    ['resolved', 900],
    ['firing', 1_799],
    ['resolved', 2_699],
  ] as const;
  assert.deepEqual(effectsOf(...steps), [
    'steady',
    'steady',
    'steady',
    'started',
    'continues',
    'continues',
    'continues',
    'continues',
    'steady',
  ]);
});

test('an acknowledgement is no change, and slow changes do not flap', () => {
  assert.deepEqual(
    new Set(effectsOf(['firing', 0], ['acknowledged', 1], ['firing', 2], ['acknowledged', 3], ['resolved', 4])),
    new Set(['steady']),
  );
  const slow = Array.from({ length: 20 }, (_, index) => [index % 2 ? 'resolved' : 'firing', index * 250] as const);
  assert.deepEqual(new Set(effectsOf(...slow)), new Set(['steady']));
});

test('a group that is quiet for long enough ends its flapping', () => {
  let { state } = recordStatus(steady, POLICY, 'firing', second(0));
  for (const at of [1, 2, 3]) ({ state } = recordStatus(state, POLICY, at % 2 ? 'resolved' : 'firing', second(at)));
  assert.deepEqual(quietAt(state, POLICY), second(903));
  assert.equal(settleFlapping(state, POLICY, second(902)).effect, 'continues');
  const { effect, state: settled } = settleFlapping(state, POLICY, second(903));
  assert.equal(effect, 'ended');
  assert.equal(quietAt(settled, POLICY), null);
  assert.equal(settleFlapping(settled, POLICY, second(2_000)).effect, 'steady');
});

test('a group flaps only after as many changes as the policy says, and remembers no more', () => {
  const step = fc.tuple(fc.constantFrom(...STATUSES), fc.integer({ min: 0, max: 400 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let [state, now, isFiring] = [steady, 0, false];
      const changes: number[] = [];
      for (const [status, seconds] of steps) {
        now += seconds;
        if ((status !== 'resolved') !== isFiring) changes.push(now);
        isFiring = status !== 'resolved';
        const { effect, state: next } = recordStatus(state, POLICY, status, second(now));
        const recent = changes.filter((at) => at > now - POLICY.windowSeconds).length;
        if (effect === 'started') assert.ok(recent >= POLICY.minChanges && !state.isFlapping);
        if (effect === 'steady') assert.ok(!next.isFlapping);
        assert.ok(next.changedAt.length <= POLICY.minChanges);
        state = next;
      }
    }),
  );
});
