import assert from 'node:assert/strict';
import { readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { dockerPrograms } from '@landfall/kernel/testing/oci-docker';
import { needs } from '@landfall/kernel/testing/programs';
import { served } from '../testing/agent-processes.ts';
import { dockerScenario } from './docker-registry.fixture.ts';

const SLOT = 'shop';

const hundred = async (port: number): Promise<Readonly<Record<string, number>>> => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => served(port)));
  const counted = Map.groupBy(answers, String)
    .entries()
    .map(([version, all]): [string, number] => [version, all.length]);
  return Object.fromEntries(counted);
};

test(
  'a canary that is halted at its gate gives all traffic back, and a rollback brings back what was verified before',
  await needs(...dockerPrograms),
  async () => {
    await using scenario = await dockerScenario();
    const { module, operator, environment } = scenario;
    const targets = [scenario.target, await scenario.addTarget()];
    const expectAll = async (expected: Readonly<Record<string, number>>): Promise<void> => {
      for (const { port } of targets) assert.deepEqual(await hundred(port), expected);
    };
    const first = await scenario.release('1.0.0');
    await scenario.deploy(first);
    const second = await scenario.release('1.1.0');

    const canary = await scenario.launch(second, { strategy: 'canary', params: { canarySteps: [20, 100] } });
    const heldPhase = await scenario.until(canary, ({ state }) => state === 'paused');
    assert.equal(heldPhase.pauseReason, 'traffic_gate');
    assert.deepEqual(
      heldPhase.phases.map(({ status }) => status),
      ['held', 'pending'],
    );
    await expectAll({ '1.0.0': 80, '1.1.0': 20 });

    const { state, anatomy } = await module.deployments.halt(operator, {
      id: canary,
      reason: 'Pages take four seconds',
    });
    assert.deepEqual([state, anatomy?.category, anatomy?.stage], ['failed', 'StrategyGateHalted', 'traffic-gate']);
    for (const { id } of targets)
      await scenario.eventually(async () => (await scenario.agents.processes('one', id)).length === 1);
    await expectAll({ '1.0.0': 100 });

    const complete = await scenario.launch(second, { acknowledgeOutcomes: [canary] });
    await scenario.land(complete, second);
    const { id } = await module.deployments.rollback(operator, { environmentId: environment.id, reason: 'Still slow' });
    const back = await scenario.land(id, first);
    assert.deepEqual([back.kind, back.releaseId], ['rollback', first.ready.id]);
    assert.equal((await scenario.read(complete)).state, 'rolled_back');
    await expectAll({ '1.0.0': 100 });
    for (const { id: of } of targets)
      assert.deepEqual(await scenario.agents.starts('one', of), ['1.0.0', '1.1.0', '1.1.0', '1.0.0']);
    assert.deepEqual(scenario.bugs, []);
  },
);

test(
  'files that somebody put back by hand are a drift from what was pushed',
  await needs(...dockerPrograms),
  async () => {
    await using scenario = await dockerScenario();
    const { module, operator, environment } = scenario;
    const slot = { name: 'files', driver: 'static_slot', config: { slot: SLOT } };
    const files = await module.targets.create(operator, {
      ...slot,
      environmentId: environment.id,
      agentId: scenario.agent.id,
    });
    const [first, second] = [await scenario.release('1.0.0'), await scenario.release('1.1.0')];
    const link = join(scenario.agents.stateOf('one'), 'slots', SLOT, 'web/current');
    await scenario.land(await scenario.launch(first), first);
    const former = await readlink(link);
    await scenario.land(await scenario.launch(second), second);

    await symlink(former, `${link}.by-hand`);
    await rename(`${link}.by-hand`, link);
    await module.targets.refresh(operator, { id: files.id });
    const drift = async () =>
      (await module.estate.drift(operator, { first: 10, filter: { state: 'drift' } })).items.map((item) => [
        ...[item.targetId, item.component, item.approvedDigest, item.observedDigest],
      ]);
    await scenario.eventually(async () => (await drift()).length > 0);
    assert.deepEqual(await drift(), [[files.id, 'web', second.digest, first.ownDigest]]);
    assert.deepEqual(scenario.bugs, []);
  },
);
