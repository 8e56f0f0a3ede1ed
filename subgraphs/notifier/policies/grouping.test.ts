import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { STATUSES, type Status } from '../events/event.ts';
import { anAction, anEvent, aRule } from '../rules/testing/events.ts';
import { afterMessage, closesAt, type Group, groupKey, type Member, nextMessage } from './grouping.ts';

const TIMING = { groupWaitSeconds: 30, groupIntervalSeconds: 300, repeatIntervalSeconds: 14_400 };

const second = (seconds: number): Date => new Date(1_000 * seconds);

const member = (key: string, status: Status = 'firing', isMomentary = false): Member => ({ key, status, isMomentary });

const group = (members: Member[], told: Group['told'] = null): Group => ({ firstAt: second(0), members, told });

const told = (...firing: string[]) => ({ at: second(1_000), firing });

test('a group waits for others before its first message, and is not told if all ended meanwhile', () => {
  assert.deepEqual(nextMessage(group([member('a')]), TIMING), { reason: 'first', dueAt: second(30) });
  assert.equal(nextMessage(group([member('a', 'resolved')]), TIMING), null);
});

test('new members and ended ones are told after the group interval, what goes on after the repeat interval', () => {
  assert.deepEqual(nextMessage(group([member('a'), member('b')], told('a')), TIMING), {
    reason: 'new_members',
    dueAt: second(1_300),
  });
  const ended = group([member('a'), member('b', 'resolved')], told('a', 'b'));
  assert.deepEqual(nextMessage(ended, TIMING), { reason: 'resolved', dueAt: second(1_300) });
  assert.deepEqual(nextMessage(group([member('a')], told('a')), TIMING), { reason: 'repeat', dueAt: second(15_400) });
  const often = { ...TIMING, repeatIntervalSeconds: 60 };
  assert.deepEqual(nextMessage(group([member('a')], told('a')), often), { reason: 'repeat', dueAt: second(1_300) });
});

test('an acknowledged group is not repeated, and one that nobody was told of is not resolved', () => {
  assert.equal(nextMessage(group([member('a', 'acknowledged')], told('a')), TIMING), null);
  const partly = group([member('a', 'acknowledged'), member('b')], told('a', 'b'));
  assert.equal(nextMessage(partly, TIMING)?.reason, 'repeat');
  assert.equal(nextMessage(group([member('x', 'resolved')], told('a')), TIMING), null);
});

test('events without a duration are told once, and the group stays for its interval', () => {
  const after = afterMessage(group([member('a', 'firing', true)]), second(50));
  assert.equal(nextMessage(after, TIMING), null);
  assert.deepEqual(closesAt(after, TIMING), second(350));
  const next = nextMessage({ ...after, members: [member('b', 'firing', true)] }, TIMING);
  assert.deepEqual(next, { reason: 'new_members', dueAt: second(350) });
  assert.equal(closesAt(group([member('a')]), TIMING), null);
});

test('groups of random events tell every condition and every end, with the interval between messages', () => {
  const step = fc.record({
    seconds: fc.integer({ min: 0, max: 2_000 }),
    key: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom(...STATUSES),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      let current = group([]);
      let now = 0;
      const open = new Set<string>();
      const flush = (until: Date): void => {
        for (let message = nextMessage(current, TIMING); message && message.dueAt <= until; ) {
          if (current.told) assert.ok(message.dueAt.getTime() - current.told.at.getTime() >= 300_000);
          assert.equal(message.reason === 'first', current.told === null);
          current = afterMessage(current, message.dueAt);
          message = nextMessage(current, TIMING);
        }
      };
      for (const { seconds, key, status } of steps) {
        now += seconds;
        flush(second(now));
        if (status === 'resolved') open.delete(key);
        else open.add(key);
        if (status === 'resolved' && !current.members.some((each) => each.key === key)) continue;
        const others = current.members.filter((each) => each.key !== key);
        current = { ...current, members: [...others, member(key, status)] };
      }
      flush(second(now + 301));
      if (current.told) assert.deepEqual([...current.told.firing].sort(), [...open].sort());
      else assert.equal(open.size, 0);
    }),
  );
});

test('events are of one group exactly if their values are the same', () => {
  const values = fc.constantFrom('', 'a', 'b', 'a,b', '","', 'null', undefined);
  const pair = fc.tuple(values, values);
  const paths = ['attributes.x', 'attributes.y'];
  const rule = aRule({ actions: [anAction({ groupBy: paths }), anAction({ groupBy: paths })] });
  const key = ([x, y]: readonly (string | undefined)[], action = 0, of = rule): string => {
    const attributes = { ...(x !== undefined && { x }), ...(y !== undefined && { y }) };
    return groupKey(anEvent({ attributes }), of, action);
  };
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      assert.equal(key(one) === key(other), one[0] === other[0] && one[1] === other[1]);
      assert.notEqual(key(one), key(one, 1), 'another action');
      assert.notEqual(key(one), key(one, 0, { ...rule, id: 'other' }), 'another rule');
    }),
  );
});

test('a group by all attributes does not depend on their order', () => {
  const rule = aRule({ actions: [anAction({ groupBy: ['attributes'] })] });
  const of = (attributes: Record<string, string>): string => groupKey(anEvent({ attributes }), rule, 0);
  assert.equal(of({ a: '1', b: '2' }), of({ b: '2', a: '1' }));
  assert.notEqual(of({ a: '1', b: '2' }), of({ a: '1' }));
});
