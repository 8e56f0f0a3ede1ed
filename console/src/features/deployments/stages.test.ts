import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetStages } from './stages.ts';

const step = (stage: string, seconds: number) => ({
  stage,
  step: 'x',
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
});

const states = (...args: Parameters<typeof targetStages>) =>
  Object.fromEntries(targetStages(...args).map(({ stage, state }) => [stage, state]));

test('there are nine stages, whatever was reported', () => {
  assert.equal(targetStages([], undefined, 'working').length, 9);
});

test('the last stage reached is running until the target ends', () => {
  const steps = [step('artifact-generation', 0), step('execution', 2)];
  assert.equal(states(steps, undefined, 'working').execution, 'running');
  assert.equal(states(steps, undefined, 'ended').execution, 'done');
});

test('a target that waits at a gate works on nothing else', () => {
  const found = states([step('execution', 0), step('health-probe', 2)], undefined, 'held');
  assert.equal(found['traffic-gate'], 'running');
  assert.equal(found['health-probe'], 'done');
  assert.equal(found.rollback, 'unreached');
});

test('a stage that was passed over is not used, one after it is not reached', () => {
  const found = states([step('preflight', 0), step('execution', 1)], undefined, 'working');
  assert.equal(found['traffic-gate'], 'unused');
  assert.equal(found.rollback, 'unreached');
});

test('the stage of the anatomy failed and what follows was not reached', () => {
  const found = states([step('preflight', 0), step('execution', 1)], 'health-probe', 'ended');
  assert.equal(found.execution, 'done');
  assert.equal(found['health-probe'], 'failed');
  assert.equal(found.rollback, 'unreached');
});

test('a stage lasts until the next one begins', () => {
  const steps = [step('preflight', 0), step('execution', 2), step('execution', 5), step('health-probe', 12)];
  const notes = Object.fromEntries(targetStages(steps, undefined, 'ended').map(({ stage, note }) => [stage, note]));
  assert.equal(notes.preflight, '2.0 s');
  assert.equal(notes.execution, '10 s');
});
