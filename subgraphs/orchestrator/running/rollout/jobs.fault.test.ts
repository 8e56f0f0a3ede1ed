import { test } from 'node:test';
import { exploreJobs } from './jobs.fixture.ts';

// spec: 3/job-states
test('whatever is done to a deployment in whatever order, it has exactly one end and leaves every target at rest', () =>
  exploreJobs(12));
