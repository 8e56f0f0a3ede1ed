import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crashScenarios } from '../faults/crash.fixture.ts';
import { rollBackKilledAt } from './rollback-crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Remaining failpoints that a rollback passes. */
const places = [
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

const worlds = crashScenarios(3);
after(() => worlds[Symbol.asyncDispose]());

for (const place of places)
  test(`killed at ${place}, a rollback and what it undoes still end together, once`, onlyLinux, () =>
    worlds.use(async (world) => {
      assert.deepEqual(await rollBackKilledAt(world, place), ['rollback_in_progress', 'rolled_back']);
    }),
  );
