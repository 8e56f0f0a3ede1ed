import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crashScenarios } from '../faults/crash.fixture.ts';
import { rollBackKilledAt } from './rollback-crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Remaining failpoints that a rollback passes. */
const failpoints = [
  'deploy.runner.leased',
  'deploy.runner.begun',
  'deploy.runner.checked',
  'deploy.runner.settling',
  'deploy.runner.settled',
  'deploy.phase.handed',
  'deploy.advance',
  'agent.task.leased',
  'deploy.report.locked',
  'deploy.report.written',
] as const;

const scenarios = crashScenarios(3);
after(() => scenarios[Symbol.asyncDispose]());

for (const failpoint of failpoints)
  test(`killed at ${failpoint}, a rollback and what it undoes still end together, once`, onlyLinux, () =>
    scenarios.use(async (scenario) => {
      assert.deepEqual(await rollBackKilledAt(scenario, failpoint), ['rollback_in_progress', 'rolled_back']);
    }),
  );
