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

const planOf = (strategy: PlanRequest['strategy'], targetCount: number, over: Partial<PlanRequest> = {}): Plan =>
  plan({ strategy, targetCount, params: defaultParams, hasTraffic: false, ...over });

const shape = ({ phases }: Plan) =>
  phases.map(({ kind, targetCount, weight, gate }) => [kind, targetCount, weight, gate]);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const everyPlan = (holds: (made: Plan, request: PlanRequest) => void): void =>
  fc.assert(
    fc.property(requests, (request) => holds(plan(request), request)),
    { numRuns: 2_000 },
  );

test('the phases of any plan are numbered from 0 and reach every target, each by one phase or each by all', () => {
  everyPlan((made, { strategy, targetCount }) => {
    assert.deepEqual(
      made.phases.map(({ index }) => index),
      made.phases.map((_, i) => i),
    );
    assert.equal(made.phases.length === 0, targetCount === 0);
    for (const phase of made.phases) assert(phase.targetCount > 0 && phase.targetCount <= targetCount);
    if (!isOverlapping(made)) assert.equal(sum(made.phases.map((phase) => phase.targetCount)), targetCount);
    const firsts = firstPhases(made);
    assert.equal(firsts.length, targetCount);
    for (const { index, targetCount: count } of made.phases)
      assert.equal(
        firsts.filter((first) => first === index).length,
        isOverlapping(made) ? (index === 0 ? count : 0) : count,
      );
    assert.deepEqual([made.requestedStrategy, made.targetCount], [strategy, targetCount]);
  });
});

test('whatever the plan, each target ends with all of the traffic on the new release and the old one retired', () => {
  everyPlan((made, { hasTraffic }) => {
    for (const first of firstPhases(made)) {
      const own = made.phases.filter(({ index }) => index === first || (isOverlapping(made) && index > first));
      const traffic = own.map((phase) => trafficOf(made, phase));
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
  everyPlan((made, { params: { gate } }) => {
    const held = made.phases.filter((phase) => phase.gate !== null);
    assert.equal(made.phases.at(-1)?.gate ?? null, null);
    assert(held.every((phase) => phase.gate === gate));
    if (made.strategy === 'all_at_once' || made.strategy === 'rolling') assert.deepEqual(held, []);
    if (made.strategy === 'canary' && gate !== 'none') assert.equal(held.length, Math.max(0, made.phases.length - 1));
  });
});

test('the caveats say when one target collapses a strategy and when nothing divides the traffic', () => {
  everyPlan((made, { strategy, targetCount, hasTraffic }) => {
    const isCollapsed = targetCount === 1 && strategy !== 'all_at_once';
    assert.equal(made.strategy, targetCount === 1 ? 'all_at_once' : strategy);
    assert.equal(made.caveats.includes('single-target-collapse'), isCollapsed);
    const wantsTraffic = strategy === 'canary' || strategy === 'blue_green';
    assert.equal(made.caveats.includes('no-traffic-management'), targetCount > 1 && wantsTraffic && !hasTraffic);
    assert(made.caveats.length <= 1);
    assert(made.phases.every(({ weight }) => weight === null) || hasTraffic);
  });
});

test('what a plan says in words has every number of its phases', () => {
  everyPlan((made) => {
    const words = made.effectiveBehaviour;
    assert.match(words, /^[A-Z].*\.$/);
    if (made.targetCount > 1) assert(words.includes(String(made.targetCount)), words);
    if (made.strategy === 'rolling' && made.phases.length > 1) {
      assert(words.includes(`${made.phases.length} batches of ${made.phases[0]?.targetCount}`), words);
      assert(words.includes(`${made.phases.at(-1)?.targetCount}`), words);
    }
    if (made.strategy === 'canary')
      for (const { weight } of made.phases)
        assert(weight === null || made.phases.length === 1 || words.includes(`${weight} %`), words);
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
  const say = (strategy: PlanRequest['strategy'], n: number, over: Partial<PlanRequest> = {}) =>
    planOf(strategy, n, over).effectiveBehaviour;
  assert.deepEqual(
    [
      say('rolling', 0),
      say('canary', 1),
      say('all_at_once', 3),
      say('rolling', 10),
      say('canary', 10),
      say('canary', 10, { hasTraffic: true, params: { ...defaultParams, gate: 'none' } }),
      say('blue_green', 10),
      say('blue_green', 10, { hasTraffic: true, params: { ...defaultParams, gate: 'analysis' } }),
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
