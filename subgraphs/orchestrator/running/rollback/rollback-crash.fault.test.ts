import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crashScenarios } from '../faults/crash.fixture.ts';
import { rollBackKilledAt } from './rollback-crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

const worlds = crashScenarios(1);
after(() => worlds[Symbol.asyncDispose]());

// The other places are in the full run.
test('killed at deploy.ended, a rollback and what it undoes still end together, once', onlyLinux, () =>
  worlds.use(async (world) => {
    assert.deepEqual(await rollBackKilledAt(world, 'deploy.ended'), ['rollback_in_progress', 'rolled_back']);
  }),
);
