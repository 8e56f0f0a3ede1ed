import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PhaseStripFragment } from '../../generated/operations.ts';
import { currentPhase, phaseCounts } from './phase-counts.ts';

type Phase = PhaseStripFragment['phases'][number];
type Target = PhaseStripFragment['targets'][number];

const phase = (index: number, targetCount: number, status: Phase['status']): Phase => ({
  __typename: 'DeploymentPhase',
  index,
  targetCount,
  kind: 'canary',
  weight: null,
  gate: null,
  status,
});
const target = (phaseIndex: number, status: Target['status'], verdict?: 'VERIFIED'): Target => ({
  __typename: 'DeploymentTarget',
  phaseIndex,
  status,
  landing: verdict === undefined ? null : { __typename: 'Landing', verdict },
});

test('where each target is of one phase, a phase counts its own', () => {
  const phases = [phase(0, 1, 'DONE'), phase(1, 2, 'RUNNING')];
  const targets = [target(0, 'SUCCEEDED', 'VERIFIED'), target(1, 'RUNNING'), target(1, 'PENDING')];
  const [first, second] = phases.map((one) => phaseCounts(one, { phases, targets }));
  assert.deepEqual({ n: first?.total, verified: first?.verified }, { n: 1, verified: 1 });
  assert.deepEqual(
    { n: second?.total, running: second?.running, waiting: second?.waiting },
    { n: 2, running: 1, waiting: 1 },
  );
});

test('where phases visit every target, one that is past is through and not judged', () => {
  const phases = [phase(0, 2, 'DONE'), phase(1, 2, 'RUNNING'), phase(2, 2, 'PENDING')];
  const targets = [target(1, 'HELD'), target(1, 'RUNNING')];
  const [past, present, next] = phases.map((one) => phaseCounts(one, { phases, targets }));
  assert.deepEqual({ held: past?.held, verified: past?.verified }, { held: 2, verified: 0 });
  assert.deepEqual({ held: present?.held, running: present?.running }, { held: 1, running: 1 });
  assert.equal(next?.waiting, 2);
});

test('the last phase that visits every target tells what landed', () => {
  const phases = [phase(0, 1, 'DONE'), phase(1, 1, 'DONE')];
  const targets = [target(1, 'SUCCEEDED', 'VERIFIED')];
  assert.equal(phaseCounts(phase(1, 1, 'DONE'), { phases, targets }).verified, 1);
});

test('a deployment stands at the phase that runs or is held, and after a failure at the one that failed', () => {
  assert.equal(currentPhase([phase(0, 1, 'DONE'), phase(1, 1, 'HELD')])?.index, 1);
  assert.equal(currentPhase([phase(0, 1, 'FAILED'), phase(1, 1, 'SKIPPED')])?.index, 0);
  assert.equal(currentPhase([phase(0, 1, 'DONE')]), undefined);
});
