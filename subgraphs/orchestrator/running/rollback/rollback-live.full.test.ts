import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveWorld } from './rollback-live.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'after a deployment that failed a rollback finds every target as it was, and touches none',
  onlyLinux,
  async () => {
    await using scenario = await liveWorld();
    const first = await scenario.deploy('1.0.0');
    const second = await scenario.deploy('2.0.0', 'failed', { health: 'crashes' });
    const back = await scenario.rollBack();
    assert.deepEqual([back.releaseId, back.landing], [first.releaseId, 'verified']);
    assert.equal((await scenario.read(second.id)).state, 'rolled_back');
    await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0']);
  },
);

test('after a canary that was halted nothing of it is left', onlyLinux, async () => {
  await using scenario = await liveWorld();
  const first = await scenario.deploy('1.0.0');
  const { id } = await scenario.launch('2.0.0', { strategy: 'canary', params: { canarySteps: [50, 100] } });
  await scenario.until(id, ({ state }) => state === 'paused');
  await scenario.module.deployments.halt(scenario.operator, { id, reason: 'Errors doubled.' });
  const back = await scenario.rollBack();
  assert.deepEqual([back.releaseId, back.landing], [first.releaseId, 'verified']);
  assert.equal((await scenario.read(id)).state, 'rolled_back');
  await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0']);
});

test('a rollback needs no registry: the agent has kept what it replaced', onlyLinux, async () => {
  await using scenario = await liveWorld();
  await scenario.deploy('1.0.0');
  await scenario.deploy('2.0.0');
  for (const status of [503, 404]) {
    using _out = scenario.registry.fault({ kind: 'status', match: '/v2/', status });
    const back = await scenario.rollBack();
    assert.deepEqual([back.state, back.landing], ['completed', 'verified']);
  }
  await scenario.expectServed('2.0.0', ['1.0.0', '2.0.0', '1.0.0', '2.0.0']);
});
