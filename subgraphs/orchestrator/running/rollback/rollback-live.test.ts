import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveWorld } from './rollback-live.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

// Deployments that failed or were halted, and a registry that is lost, are in the full run.
test('a rollback puts back what ran before, and a second one what it had put away', onlyLinux, async () => {
  await using scenario = await liveWorld();
  const first = await scenario.deploy('1.0.0');
  const second = await scenario.deploy('2.0.0');
  const back = await scenario.rollBack();
  for (const { landing } of back.targets)
    assert.deepEqual([landing?.verdict, landing?.observedDigest], ['verified', first.release.components[0]?.digest]);
  assert.equal((await scenario.read(second.id)).state, 'rolled_back');
  await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0', '1.0.0']);
  const forward = await scenario.rollBack();
  assert.equal(forward.targets[0]?.landing?.observedDigest, second.release.components[0]?.digest);
  await scenario.expectServed('2.0.0', ['1.0.0', '2.0.0', '1.0.0', '2.0.0']);
});
