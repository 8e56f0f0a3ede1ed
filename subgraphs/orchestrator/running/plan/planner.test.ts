import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import fc from 'fast-check';
import { defaultParams, type StrategyParams, withParams } from '../../catalogue/environments/strategy-params.ts';
import { gates, strategies } from '../../shared/enums.ts';
import type { Plan } from './plan.ts';
import { firstPhases, isOverlapping, type PlanRequest, plan, trafficOf } from './planner.ts';

const params: fc.Arbitrary<StrategyParams> = fc.record({
  batchPercent: fc.integer({ min: 1, max: 100 }),
  canarySteps: fc
    .uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 9 })
    .map((steps) => [...steps.toSorted((a, b) => a - b), 100]),
  gate: fc.constantFrom(...gates),
});

const requests: fc.Arbitrary<PlanRequest> = fc.record({
  strategy: fc.constantFrom(...strategies),
  targetCount: fc.nat(50),
  params,
  hasTraffic: fc.boolean(),
});

const planOf = (strategy: PlanRequest['strategy'], targetCount: number, overrides: Partial<PlanRequest> = {}): Plan =>
  plan({ strategy, targetCount, params: defaultParams, hasTraffic: false, ...overrides });

const shape = ({ phases }: Plan) =>
  phases.map(({ kind, targetCount, weight, gate }) => [kind, targetCount, weight, gate]);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const everyPlan = (holds: (made: Plan, request: PlanRequest) => void): void =>
  fc.assert(
    fc.property(requests, (request) => holds(plan(request), request)),
    { numRuns: 2_000 },
  );

test('the phases of any plan are numbered from 0 and reach every target, each by one phase or each by all', () => {
  everyPlan((created, { strategy, targetCount }) => {
    assert.deepEqual(
      created.phases.map(({ index }) => index),
      created.phases.map((_, i) => i),
    );
    assert.equal(created.phases.length === 0, targetCount === 0);
    for (const phase of created.phases) assert(phase.targetCount > 0 && phase.targetCount <= targetCount);
    if (!isOverlapping(created)) assert.equal(sum(created.phases.map((phase) => phase.targetCount)), targetCount);
    const firsts = firstPhases(created);
    assert.equal(firsts.length, targetCount);
    for (const { index, targetCount: count } of created.phases)
      assert.equal(
        firsts.filter((first) => first === index).length,
        isOverlapping(created) ? (index === 0 ? count : 0) : count,
      );
    assert.deepEqual([created.requestedStrategy, created.targetCount], [strategy, targetCount]);
  });
});

test('whatever the plan, each target ends with all of the traffic on the new release and the old one retired', () => {
  everyPlan((created, { hasTraffic }) => {
    for (const first of firstPhases(created)) {
      const own = created.phases.filter(({ index }) => index === first || (isOverlapping(created) && index > first));
      const traffic = own.map((phase) => trafficOf(created, phase));
      assert.deepEqual(traffic.at(-1), { weight: 100, retire: true });
      assert(traffic.slice(0, -1).every(({ retire }) => !retire));
      const weights = traffic.map(({ weight }) => weight);
      assert.deepEqual(
        weights,
        weights.toSorted((a, b) => a - b),
      );
      // Without a router there is nothing between nothing and all.
      if (!hasTraffic) assert(weights.every((weight) => weight === 0 || weight === 100));
    }
  });
});

test('only canary and blue-green have gates, nothing waits after the last phase, and a gate is the one asked for', () => {
  everyPlan((created, { params: { gate } }) => {
    const heldPhase = created.phases.filter((phase) => phase.gate !== null);
    assert.equal(created.phases.at(-1)?.gate ?? null, null);
    assert(heldPhase.every((phase) => phase.gate === gate));
    if (created.strategy === 'all_at_once' || created.strategy === 'rolling') assert.deepEqual(heldPhase, []);
    if (created.strategy === 'canary' && gate !== 'none')
      assert.equal(heldPhase.length, Math.max(0, created.phases.length - 1));
  });
});

test('the caveats say when one target collapses a strategy and when nothing divides the traffic', () => {
  everyPlan((created, { strategy, targetCount, hasTraffic }) => {
    const isCollapsed = targetCount === 1 && strategy !== 'all_at_once';
    assert.equal(created.strategy, targetCount === 1 ? 'all_at_once' : strategy);
    assert.equal(created.caveats.includes('single-target-collapse'), isCollapsed);
    const wantsTraffic = strategy === 'canary' || strategy === 'blue_green';
    assert.equal(created.caveats.includes('no-traffic-management'), targetCount > 1 && wantsTraffic && !hasTraffic);
    assert(created.caveats.length <= 1);
    assert(created.phases.every(({ weight }) => weight === null) || hasTraffic);
  });
});

test('what a plan says in words has every number of its phases', () => {
  everyPlan((created) => {
    const words = created.effectiveBehaviour;
    assert.match(words, /^[A-Z].*\.$/);
    if (created.targetCount > 1) assert(words.includes(String(created.targetCount)), words);
    if (created.strategy === 'rolling' && created.phases.length > 1) {
      assert(words.includes(`${created.phases.length} batches of ${created.phases[0]?.targetCount}`), words);
      assert(words.includes(`${created.phases.at(-1)?.targetCount}`), words);
    }
    if (created.strategy === 'canary')
      for (const { weight } of created.phases)
        assert(weight === null || created.phases.length === 1 || words.includes(`${weight} %`), words);
  });
});

test('ten targets, by each strategy', () => {
  assert.deepEqual(shape(planOf('all_at_once', 10)), [['all', 10, null, null]]);
  assert.deepEqual(
    shape(planOf('rolling', 10)),
    [3, 3, 3, 1].map((count) => ['batch', count, null, null]),
  );
  assert.deepEqual(shape(planOf('canary', 10)), [
    ['canary', 1, null, 'manual'],
    ['canary', 4, null, 'manual'],
    ['canary', 5, null, null],
  ]);
  assert.deepEqual(shape(planOf('canary', 10, { hasTraffic: true })), [
    ['canary', 10, 10, 'manual'],
    ['canary', 10, 50, 'manual'],
    ['canary', 10, 100, null],
  ]);
  const analysed = { params: { ...defaultParams, gate: 'analysis' }, hasTraffic: true } as const;
  assert.deepEqual(shape(planOf('blue_green', 10, analysed)), [
    ['provision', 10, 0, null],
    ['switch', 10, 100, 'analysis'],
    ['retire', 10, 100, null],
  ]);
  assert.deepEqual(
    shape(planOf('blue_green', 10)).map(([kind, , , gate]) => [kind, gate]),
    [
      ['provision', 'manual'],
      ['switch', 'manual'],
      ['retire', null],
    ],
  );
});

test('a canary of two targets drops the step that would add none', () => {
  assert.deepEqual(
    planOf('canary', 2).phases.map(({ targetCount }) => targetCount),
    [1, 1],
  );
});

test('each plan says what it does', () => {
  const describePlan = (strategy: PlanRequest['strategy'], n: number, overrides: Partial<PlanRequest> = {}) =>
    planOf(strategy, n, overrides).effectiveBehaviour;
  assert.deepEqual(
    [
      describePlan('rolling', 0),
      describePlan('canary', 1),
      describePlan('all_at_once', 3),
      describePlan('rolling', 10),
      describePlan('canary', 10),
      describePlan('canary', 10, { hasTraffic: true, params: { ...defaultParams, gate: 'none' } }),
      describePlan('blue_green', 10),
      describePlan('blue_green', 10, { hasTraffic: true, params: { ...defaultParams, gate: 'analysis' } }),
    ],
    [
      'There is no target: nothing would change.',
      'The one target changes over; what runs now serves until the new version is healthy.',
      'All 3 targets change over at once; on each, what runs now serves until the new version is healthy.',
      'The 10 targets change over in 4 batches of 3, the last of 1; a batch begins when the one before it is healthy.',
      'The new version reaches 1, 5 and all 10 targets, step by step, each next step only after somebody passes the gate. Nothing divides the traffic of a target.',
      'On each of the 10 targets the new version takes 10 %, 50 % and 100 % of the traffic, step by step, each next step without waiting.',
      'On all 10 targets the new version is made ready beside the old. After somebody passes the gate, it takes the place of the old. After somebody passes the gate, the old is removed. Nothing divides the traffic of a target.',
      'On all 10 targets the new version starts beside the old, without traffic. Then it takes all of the traffic. After its metrics pass, the old is stopped.',
    ],
  );
});

// spec: 7.2/VAL_INVALID_VALUE
test('canary steps that do not ascend to 100 make no plan', () => {
  for (const canarySteps of [[50, 10, 100], [10, 10, 100], [10, 50], []])
    assert.throws(
      () => withParams(defaultParams, { canarySteps }, 'params'),
      (error) =>
        error instanceof Fault && error.code === 'VAL_INVALID_VALUE' && error.fields[0]?.field === 'params.canarySteps',
    );
  assert.deepEqual(withParams(defaultParams, { canarySteps: [100] }, 'params').canarySteps, [100]);
});
