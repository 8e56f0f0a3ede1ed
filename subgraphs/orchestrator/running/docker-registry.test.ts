import assert from 'node:assert/strict';
import { readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { dockerPrograms, startDockerRegistry } from '@landfall/kernel/testing/oci-docker';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { needs } from '@landfall/kernel/testing/programs';
import { until } from '@landfall/kernel/testing/until';
import type { Release } from '../catalogue/releases/releases.store.ts';
import { served } from '../testing/agent-processes.ts';
import { liveApp } from '../testing/live-app.ts';

const FOREIGN = 'linux/s390x';
const SLOT = 'shop';

const hundred = async (port: number): Promise<Readonly<Record<string, number>>> => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => served(port)));
  const counted = Map.groupBy(answers, String)
    .entries()
    .map(([version, all]): [string, number] => [version, all.length]);
  return Object.fromEntries(counted);
};

/**
 * Starts the Docker registry with a password and a real agent with one target: the complete path from a pushed image to
 * the program that serves the target's port.
 */
const setup = async () => {
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await startDockerRegistry({ isClosed: true }));
  const app = stack.use(await liveApp());
  const operator = app.caller('operator');
  const { credentials, origin: baseUrl } = registry;
  await app.module.integrations.create(operator, { kind: 'registry', name: 'Docker', baseUrl, ...credentials });
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.startAgent('one');
  const target = await app.target(environment, agent.id);

  /** Creates a release with an image index for this platform and another one. */
  const release = async (version: string) => {
    const own = buildApp({ version });
    const index = buildIndex([buildApp({ version, platform: FOREIGN }), own]);
    await registry.push('shop/web', index, version);
    const components = [{ name: 'web', repository: registry.repository('shop/web'), tag: version }];
    const ready = await app.seed.ready({ semver: version, components });
    assert.equal(ready.components[0]?.digest, await registry.digestOf('shop/web', version));
    return { ready, version, digest: index.digest, ownDigest: own.digest };
  };

  const imageCheck = async (of: Release) => {
    const promotion = { releaseId: of.id, environmentId: environment.id };
    const { armed, checks } = await app.module.deployments.preflight(operator, promotion);
    return [armed, checks.find(({ key }) => key === 'image-resolvable')?.status];
  };

  type Pushed = Awaited<ReturnType<typeof release>>;

  const launch = async ({ ready }: Pick<Pushed, 'ready'>, request: object = {}): Promise<string> => {
    const promotion = await app.seed.approved(ready, environment);
    return (await app.module.deployments.launch(operator, { promotionId: promotion.id, ...request })).id;
  };

  /** Waits until a deployment lands: the gated index, and the manifest for this platform. */
  const land = async (id: string, { digest, ownDigest }: Pushed) => {
    const deployment = await app.until(id, ({ state }) => state === 'completed');
    for (const { landing } of deployment.targets)
      assert.deepEqual(
        [landing?.verdict, landing?.gatedDigest, landing?.manifestDigest, landing?.observedDigest],
        ['verified', digest, digest, ownDigest],
      );
    return deployment;
  };

  const deploy = async (pushed: Pushed): Promise<string> => {
    const { id } = await land(await launch(pushed), pushed);
    assert.equal(await served(target.port), pushed.version);
    return id;
  };

  /** Waits for a condition that the agent brings about. */
  const eventually = (isThere: () => Promise<boolean>) =>
    until(async () => {
      if (await isThere()) return true;
      await app.clock.advance(Math.max(0, Date.now() - app.clock.now().getTime()));
      return false;
    });

  const resources = stack.move();
  return {
    ...app,
    registry,
    operator,
    environment,
    target,
    agent,
    addTarget: () => app.target(environment, agent.id),
    release,
    imageCheck,
    launch,
    land,
    deploy,
    eventually,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

test(
  'from a pushed image to a verified landing, again with the next, and again without the registry',
  await needs(...dockerPrograms),
  async () => {
    await using scenario = await setup();
    const first = await scenario.release('1.0.0');
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'pass']);
    await scenario.deploy(first);
    const second = await scenario.release('1.1.0');
    await scenario.deploy(second);

    await scenario.registry.stop();
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'unknown']);
    await scenario.deploy(first);
    assert.deepEqual(await scenario.agents.starts('one', scenario.target.id), ['1.0.0', '1.1.0', '1.0.0']);

    await scenario.registry.start();
    assert.deepEqual(await scenario.imageCheck(first.ready), [true, 'pass']);
    assert.deepEqual(scenario.bugs, []);
  },
);

test(
  'a canary that is halted at its gate gives all traffic back, and a rollback brings back what was verified before',
  await needs(...dockerPrograms),
  async () => {
    await using scenario = await setup();
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
    await using scenario = await setup();
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
