import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFaultInstallation } from './faults.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'an agent that is cut off for a minute: shown, its task lost, its targets unknown; back, and nothing restarted',
  onlyLinux,
  async (t) => {
    await using installation = await startFaultInstallation();
    const { agents, targets } = installation.module;
    const viewer = installation.caller('viewer');
    const agentId = installation.agent().id;
    const pids = await installation.agents.processes('one', installation.target.id);
    const state = async () => (await agents.list(viewer, {}))[0]?.state;
    const target = () => targets.get(viewer, { id: installation.target.id });
    const passes = async (seconds: number): Promise<void> => {
      await installation.clock.advance(seconds * 1_000);
      await installation.module.runOnce.watch();
    };
    await t.waitFor(async () => assert.equal((await target()).healthState, 'healthy'), { timeout: 20_000 });

    using _hanging = installation.registry.fault({ kind: 'hang', match: 'blobs' });
    const { id } = await installation.launch(await installation.approved());
    await t.waitFor(async () => assert.equal((await installation.agents.journal('one')).length, 1), {
      timeout: 20_000,
    });
    installation.cable.cut();
    await passes(15);
    assert.equal(await state(), 'stale');
    await passes(15);
    assert.equal(await state(), 'offline');
    const unobserved = await target();
    assert.deepEqual(
      [unobserved.state, unobserved.healthState, unobserved.healthDetail],
      ['unknown', 'unknown', 'its agent does not report'],
    );
    await passes(30);
    const job = await installation.endOf(id);
    assert.deepEqual(
      [job.state, job.anatomy?.stage, job.anatomy?.reason, job.anatomy?.retryable],
      ['failed', 'execution', 'agent-heartbeat-lost', true],
    );
    await installation.assertServes(installation.firstVersion);

    installation.cable.mend();
    await t.waitFor(async () => assert.equal(await state(), 'active'), { timeout: 30_000 });
    await t.waitFor(async () => assert.equal((await target()).healthState, 'healthy'), { timeout: 30_000 });
    await t.waitFor(async () => assert.deepEqual(await installation.agents.journal('one'), []), { timeout: 30_000 });
    assert.equal((await agents.get(viewer, { id: agentId })).name, 'one', 'the agent that it was');
    assert.deepEqual(await installation.agents.processes('one', installation.target.id), pids);
    assert.deepEqual(await installation.agents.starts('one', installation.target.id), [installation.firstVersion]);
    await installation.assertServes(installation.firstVersion);
    assert.equal((await installation.read(id)).anatomy?.reason, 'agent-heartbeat-lost', 'what was lost stays lost');
    assert.deepEqual(installation.bugs, []);
  },
);
