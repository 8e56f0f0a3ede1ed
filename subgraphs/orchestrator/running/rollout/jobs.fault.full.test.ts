import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exploreJobs } from './jobs.fixture.ts';

test('whatever is done to a deployment in whatever order, it has exactly one end and leaves every target at rest', async () => {
  assert.deepEqual(await exploreJobs(60), ['cancelled', 'completed', 'failed']);
});
