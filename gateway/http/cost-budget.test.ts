import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { people } from '@landfall/kernel/testing/callers';
import { createBudget } from './cost-budget.ts';

const LIMITS = { perRequest: 100, perSecond: 50, burst: 200 };

const opened = () => {
  let now = Date.parse('2026-11-22T00:00:00Z');
  const budget = createBudget({ now: () => new Date(now) }, LIMITS);
  return {
    pass: (ms: number) => {
      now += ms;
    },
    draw(cost: number, caller = people.operator) {
      try {
        budget.draw(caller, cost);
      } catch (error) {
        assert.ok(error instanceof Fault);
        return { code: error.code, status: error.status, details: error.details };
      }
      return undefined;
    },
  };
};

test('what costs more than one request may is refused, and takes nothing', () => {
  const { draw } = opened();
  const refusal = { code: 'cost_limit_exceeded', status: 400, details: { cost: 101, allowed: 100 } };
  assert.deepEqual(draw(101), refusal);
  assert.deepEqual([draw(100), draw(100)], [undefined, undefined]);
});

test('a caller who has spent all is told when there is enough again, and then there is', () => {
  const { draw, pass } = opened();
  assert.deepEqual([draw(100), draw(90)], [undefined, undefined]);
  const details = { cost: 100, left: 10, perSecond: 50, burst: 200, retryAfter: 2 };
  assert.deepEqual(draw(100), { code: 'cost_budget_exhausted', status: 429, details });
  pass(1_000);
  assert.equal(draw(100)?.code, 'cost_budget_exhausted');
  pass(1_000);
  assert.equal(draw(100), undefined);
  pass(3_600_000);
  assert.deepEqual([draw(100), draw(100), draw(1)?.code], [undefined, undefined, 'cost_budget_exhausted']);
});

test('callers have accounts of their own, whatever token they show', () => {
  const { draw } = opened();
  assert.deepEqual([draw(100), draw(100)], [undefined, undefined]);
  const { operator } = people;
  assert.equal(draw(1, { ...operator, tokenId: 'another', correlationId: 'x' })?.status, 429);
  assert.equal(draw(100, { ...operator, subject: 'somebody else' }), undefined);
  assert.equal(draw(100, { ...operator, tenant: toTenantId('globex') }), undefined);
});
