import { testPassings } from './crash-occurrences.fixture.ts';

testPassings({
  // When the tasks are dispatched, and after every report.
  'deploy.advance': 1 + 3 * 7,
});
