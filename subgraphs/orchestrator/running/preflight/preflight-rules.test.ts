import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Readiness } from '../../catalogue/agents/liveness.ts';
import { inDependencyOrder } from '../plan/dependency-order.ts';
import { combineFindings, createPreflightReport, type Finding, judgeReadiness } from './preflight-rules.ts';

const subject = { releaseId: 'r', environmentId: 'e' };

test('a fail outweighs an unknown, and an unknown is never a pass', () => {
  const finding = fc.record<Finding>({
    subject: fc.string({ minLength: 1 }),
    status: fc.constantFrom('pass', 'fail', 'unknown'),
  });
  fc.assert(
    fc.property(fc.array(finding), (findings) => {
      const check = combineFindings('target-ready', findings, 'nothing', subject);
      const statuses = findings.map(({ status }) => status);
      if (statuses.includes('fail')) assert.equal(check.status, 'fail');
      else if (statuses.includes('unknown') || findings.length === 0) assert.equal(check.status, 'unknown');
      else assert.equal(check.status, 'pass');
      assert.equal(check.anatomy !== null, check.status === 'fail');
    }),
  );
});

// spec: 2.10/preflight-armed, 3/preflight-unknown
test('a report is armed exactly when no check failed: unknowns do not disarm', () => {
  const check = (status: Finding['status']) => combineFindings('target-ready', [{ subject: 'a', status }], '', subject);
  assert.equal(createPreflightReport('r', 'prod', [check('unknown'), check('pass')]).armed, true);
  const red = createPreflightReport('r', 'prod', [check('unknown'), check('fail')]);
  assert.deepEqual([red.armed, red.hasHardFail, red.failedCheckKeys], [false, true, ['target-ready']]);
});

test('a target is ready only with an agent that reports and a good health check', () => {
  const target = {
    name: 'web-1',
    agentId: 'a',
    driver: 'process',
    healthState: 'healthy',
    healthDetail: null,
  } as const;
  const of = (readiness: Readiness | undefined) => judgeReadiness(target, readiness);
  assert.equal(of('ready').status, 'pass');
  assert.equal(of('stale').status, 'unknown');
  assert.equal(of('offline').reason, 'agent-offline');
  assert.equal(of('incapable').reason, 'driver-unsupported');
  assert.equal(of(undefined).reason, 'agent-unassigned');
  assert.equal(judgeReadiness({ ...target, agentId: null }, undefined).reason, 'agent-unassigned');
  assert.equal(judgeReadiness({ ...target, healthState: 'unhealthy' }, 'ready').status, 'fail');
  assert.equal(judgeReadiness({ ...target, healthState: 'unknown' }, 'ready').status, 'unknown');
});

test('where every target is unhealthy, that is the news; one without a driver is a matter of planning', () => {
  const unhealthy: Finding = { subject: 'a', status: 'fail', reason: 'target-unhealthy' };
  const of = (...findings: Finding[]) => combineFindings('target-ready', findings, '', subject).anatomy;
  assert.equal(of(unhealthy, unhealthy)?.category, 'NoHealthyTargets');
  assert.equal(of(unhealthy, { subject: 'b', status: 'pass' })?.category, 'PreflightFailed');
  assert.equal(of({ subject: 'b', status: 'fail', reason: 'driver-unsupported' })?.stage, 'strategy-planning');
  assert.equal(of({ subject: 'b', status: 'fail', reason: 'no-targets' })?.stage, 'strategy-planning');
});

test('components come after what they need, and a circle has no order', () => {
  const component = (name: string, ...dependsOn: string[]) => ({ name, dependsOn });
  const order = inDependencyOrder([component('web', 'api'), component('api', 'db'), component('db')]);
  assert.deepEqual(
    order?.map(({ name }) => name),
    ['db', 'api', 'web'],
  );
  assert.equal(inDependencyOrder([component('a', 'b'), component('b', 'a')]), undefined);
  assert.equal(inDependencyOrder([component('a', 'gone')]), undefined);
});
