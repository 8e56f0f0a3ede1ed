import { testPassings } from './crash-passings.fixture.ts';

testPassings({
  // Resolved, pulled, verified, started, probed, observed, done.
  'deploy.report.written': 3 * 7,
});
