import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runToFailpoint } from '../testing/crash.ts';
import { arm, failpoint, passed } from './failpoint.ts';

test('a failpoint that nobody armed does nothing but remember that it was passed', async () => {
  await failpoint('test.unarmed');
  assert.ok(passed.has('test.unarmed'));
});

test('an armed failpoint acts at its own name only, until it is disarmed', async () => {
  const requests: string[] = [];
  {
    using _armed = arm('test.here', () => void requests.push('here'));
    await failpoint('test.here');
    await failpoint('test.elsewhere');
  }
  await failpoint('test.here');
  assert.deepEqual(requests, ['here']);
});

test('what an action throws is thrown where it happened', async () => {
  using _armed = arm('test.broken', () => Promise.reject(new Error('cut')));
  await assert.rejects(failpoint('test.broken'), /cut/);
});

const program = new URL('../testing/crash.fixture.ts', import.meta.url);

test('a process told by its environment dies at the failpoint, as by a power cut: nothing after it runs', async () => {
  const { output } = await runToFailpoint({ program, failpoint: 'fixture.middle' });
  assert.equal(output, 'before\n', 'neither the next line nor a finally block ran');
});

test('a process that never comes by the failpoint is a failure of the test', async () => {
  await assert.rejects(
    runToFailpoint({ program, failpoint: 'fixture.nowhere' }),
    /never reached fixture\.nowhere.*\n.*after/s,
  );
});
