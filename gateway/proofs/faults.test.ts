import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { served } from '@landfall/orchestrator/testing/agent-processes';
import { refusal } from '@landfall/orchestrator/testing/catalogue-app';
import { isRepresentative, testFaults } from './fault-cases.fixture.ts';
import { type FaultInstallation, startFaultInstallation, TIMEOUT_SECONDS } from './faults.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

describe('what goes wrong on the way to a target is told, and the version before it still serves', onlyLinux, () => {
  let installation: FaultInstallation;
  before(async () => {
    installation = await startFaultInstallation();
  });
  after(() => installation[Symbol.asyncDispose]());

  testFaults(() => installation, isRepresentative);

  test('an image that is gone before the launch stops it there, with the anatomy of the check', async () => {
    const { promotion, image } = await installation.approved();
    installation.registry.remove('shop/web', image.digest);
    const launching = installation.launch({ promotion });
    await assert.rejects(launching, refusal('preflight_failed', { failedCheckKeys: ['image-resolvable'] }));
    const path = `/api/v1/release-orchestrator/releases/${promotion.releaseId}/deploy-preflight`;
    const { body } = await installation.get(`${path}?environmentId=${installation.environment.id}`);
    const failed = body.checks.find(({ key }: { key: string }) => key === 'image-resolvable');
    assert.deepEqual([body.armed, failed.status, failed.anatomy.reason], [false, 'fail', 'artifact-missing']);
    const { state } = await installation.module.promotions.get(installation.caller('viewer'), { id: promotion.id });
    assert.equal(state, 'approved');
    await installation.assertServes(installation.firstVersion);
  });

  test('an agent that stops for longer than the timeout ends nothing twice', async () => {
    const approved = await installation.approved();
    installation.agent().child.kill('SIGSTOP');
    const { id } = await installation.launch(approved);
    await installation.clock.advance((TIMEOUT_SECONDS + 1) * 1_000);
    const job = await installation.endOf(id);
    assert.deepEqual(
      [job.state, job.anatomy?.category, job.anatomy?.reason, job.anatomy?.retryable],
      ['failed', 'Timeout', 'job-deadline', true],
    );
    installation.agent().child.kill('SIGCONT');
    await installation.assertServes(installation.firstVersion);
    assert.deepEqual(await installation.read(id), job);
  });

  test('an agent killed while it pulls that never returns is AgentOffline; what it ran before goes on', async (t) => {
    const exited = { failpoint: 'agent.pull' };
    await installation.restartAgent(exited);
    const { id } = await installation.launch(await installation.approved());
    assert.equal(await installation.agent().ended, 'SIGKILL');
    await t.waitFor(
      async () => {
        await installation.clock.advance(31_000);
        await installation.module.runOnce.watch();
        assert.equal((await installation.read(id)).state, 'failed');
      },
      { timeout: 20_000 },
    );
    const job = await installation.read(id);
    assert.deepEqual(
      [job.anatomy?.stage, job.anatomy?.category, job.anatomy?.retryable],
      ['execution', 'AgentOffline', true],
    );
    await installation.restartAgent();
    await installation.assertServes(installation.firstVersion);
    assert.deepEqual(await installation.read(id), job);
  });

  // From here on newer versions land.

  test('a tag that moved after the approval changes nothing: the gated digest lands', async () => {
    const { version, image, promotion } = await installation.approved();
    installation.registry.push('shop/web', buildApp({ version: 'moved' }), version);
    const job = await installation.endOf((await installation.launch({ promotion })).id);
    assert.deepEqual(
      [job.state, job.landing, job.targets[0]?.landing?.observedDigest],
      ['completed', 'verified', image.digest],
    );
    await installation.assertServes(version);
  });

  test('an agent killed at agent.switched and started again brings the deployment to its one end', async () => {
    await installation.restartAgent({ failpoint: 'agent.switched' });
    const { version, image, promotion } = await installation.approved();
    const { id } = await installation.launch({ promotion });
    assert.equal(await installation.agent().ended, 'SIGKILL');
    await installation.restartAgent();
    const job = await installation.endOf(id);
    assert.deepEqual(
      [job.state, job.landing, job.targets[0]?.landing?.observedDigest],
      ['completed', 'verified', image.digest],
    );
    await installation.assertServes(version);
    const starts = await installation.agents.starts('one', installation.target.id);
    assert.equal(starts.filter((started) => started === version).length, 1, 'started once');
  });

  test('a target whose port is taken fails alone, and with it the job', async () => {
    const inUse = Number(new URL(installation.registry.origin).port);
    const second = await installation.addTarget('second', inUse);
    const { version, promotion } = await installation.approved();
    const job = await installation.endOf((await installation.launch({ promotion })).id);
    assert.deepEqual([job.state, job.anatomy?.reason], ['failed', 'port-taken']);
    assert.match(job.anatomy?.detail ?? '', new RegExp(`127\\.0\\.0\\.1:${inUse}: EADDRINUSE`));
    assert.deepEqual(
      job.targets.map(({ name, state, landing }) => [name, state, landing?.verdict]),
      [
        ['first', 'succeeded', 'verified'],
        ['second', 'failed', undefined],
      ],
    );
    assert.deepEqual(await installation.agents.processes('one', second.id), []);
    assert.equal(await served(installation.port), version);
  });
});
