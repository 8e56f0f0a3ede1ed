import { testPassings } from './crash-passings.fixture.ts';

testPassings({
  // When the tasks are handed out, and after every report.
  'deploy.advance': 1 + 3 * 7,
});
