import { testPassings } from './crash-occurrences.fixture.ts';

testPassings({
  'agent.task.leased': 3,
  // Resolved, pulled, verified, started, probed, observed, done.
  'deploy.report.locked': 3 * 7,
});
