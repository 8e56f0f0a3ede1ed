// A program for failpoint.test.ts: it says how far it came.
import { armFromEnvironment, failpoint } from '../system/failpoint.ts';

armFromEnvironment(process.env);
try {
  process.stdout.write('before\n');
  await failpoint('fixture.middle');
} finally {
  process.stdout.write('after\n');
}
