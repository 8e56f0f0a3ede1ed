import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crashScenarios } from '../faults/crash.fixture.ts';
import { rollBackKilledAt } from './rollback-crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

const scenarios = crashScenarios(1);
after(() => scenarios[Symbol.asyncDispose]());

// The other failpoints are in the full run.
test('killed at deploy.ended, a rollback and what it undoes still end together, once', onlyLinux, () =>
  scenarios.use(async (installation) => {
    assert.deepEqual(await rollBackKilledAt(installation, 'deploy.ended'), ['rollback_in_progress', 'rolled_back']);
  }),
);
