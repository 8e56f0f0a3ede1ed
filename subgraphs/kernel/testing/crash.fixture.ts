// Program for failpoint.test.ts: prints the last step that it reached.
import { armFromEnvironment, failpoint } from '../system/failpoint.ts';

armFromEnvironment(process.env);
try {
  process.stdout.write('before\n');
  await failpoint('fixture.middle');
} finally {
  process.stdout.write('after\n');
}
