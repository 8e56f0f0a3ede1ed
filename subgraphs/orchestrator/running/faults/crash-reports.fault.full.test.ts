import { testPassings } from './crash-occurrences.fixture.ts';

testPassings({
  // Resolved, pulled, verified, started, probed, observed, done.
  'deploy.report.written': 3 * 7,
});
