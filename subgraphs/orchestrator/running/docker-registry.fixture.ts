import assert from 'node:assert/strict';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { startDockerRegistry } from '@landfall/kernel/testing/oci-docker';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { until } from '@landfall/kernel/testing/until';
import type { Release } from '../catalogue/releases/releases.store.ts';
import { served } from '../testing/agent-processes.ts';
import { liveApp } from '../testing/live-app.ts';

const FOREIGN = 'linux/s390x';

/**
 * Starts the Docker registry with a password and a real agent with one target: the complete path from a pushed image to
 * the program that serves the target's port.
 */
export const dockerScenario = async () => {
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
