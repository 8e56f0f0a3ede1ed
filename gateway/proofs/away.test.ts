import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFaultInstallation } from './faults.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'an agent that is cut off for a minute: shown, its task lost, its targets unknown; back, and nothing restarted',
  onlyLinux,
  async (t) => {
    await using world = await startFaultInstallation();
    const { agents, targets } = world.module;
    const viewer = world.caller('viewer');
    const agentId = world.agent().id;
    const pids = await world.agents.processes('one', world.target.id);
    const state = async () => (await agents.list(viewer, {}))[0]?.state;
    const target = () => targets.get(viewer, { id: world.target.id });
    const passes = async (seconds: number): Promise<void> => {
      await world.clock.advance(seconds * 1_000);
      await world.module.runOnce.watch();
    };
    await t.waitFor(async () => assert.equal((await target()).healthState, 'healthy'), { timeout: 20_000 });

    using _hanging = world.registry.fault({ kind: 'hang', match: 'blobs' });
    const { id } = await world.launch(await world.approved());
    await t.waitFor(async () => assert.equal((await world.agents.journal('one')).length, 1), { timeout: 20_000 });
    world.cable.cut();
    await passes(15);
    assert.equal(await state(), 'stale');
    await passes(15);
    assert.equal(await state(), 'offline');
    const unseen = await target();
    assert.deepEqual(
      [unseen.state, unseen.healthState, unseen.healthDetail],
      ['unknown', 'unknown', 'its agent does not report'],
    );
    await passes(30);
    const job = await world.endOf(id);
    assert.deepEqual(
      [job.state, job.anatomy?.stage, job.anatomy?.reason, job.anatomy?.retryable],
      ['failed', 'execution', 'agent-heartbeat-lost', true],
    );
    await world.assertServes(world.firstVersion);

    world.cable.mend();
    await t.waitFor(async () => assert.equal(await state(), 'active'), { timeout: 30_000 });
    await t.waitFor(async () => assert.equal((await target()).healthState, 'healthy'), { timeout: 30_000 });
    await t.waitFor(async () => assert.deepEqual(await world.agents.journal('one'), []), { timeout: 30_000 });
    assert.equal((await agents.get(viewer, { id: agentId })).name, 'one', 'the agent that it was');
    assert.deepEqual(await world.agents.processes('one', world.target.id), pids);
    assert.deepEqual(await world.agents.starts('one', world.target.id), [world.firstVersion]);
    await world.assertServes(world.firstVersion);
    assert.equal((await world.read(id)).anatomy?.reason, 'agent-heartbeat-lost', 'what was lost stays lost');
    assert.deepEqual(world.bugs, []);
  },
);
