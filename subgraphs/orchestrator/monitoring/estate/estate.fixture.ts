import { buildImage, buildIndex } from '@landfall/kernel/testing/oci-image';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';

/** Digest that no release approved. */
export const unknown = `sha256:${'f'.repeat(64)}`;

/** Starts an orchestrator whose deployments land at once and whose agents report what the test chooses. */
export const estateApp = async () => {
  const app = await deployingApp();

  /** Deploys a release to an environment; every agent there reports the approved digests. */
  const deploy = async (
    release: Release,
    environment: Environment,
    agents: readonly TestAgent[],
    overrides: Parameters<typeof landedAt>[1] = {},
  ) => {
    const deployment = await app.launch((await app.seed.approved(release, environment)).id);
    for (const agent of agents) {
      const assignment = await leased(app, agent);
      await app.report(agent, assignment, 1, landedAt(assignment, overrides));
    }
    return deployment;
  };

  /** Creates an environment with one target for each agent, and a release that landed on all of them. */
  const landed = async (targetCount = 1, input?: Release) => {
    const environment = await app.seed.environment({ requiredApprovals: 0 });
    const environments = [];
    for (let i = 0; i < targetCount; i++) {
      const agent = await app.register();
      environments.push({ agent, target: await app.seed.target(environment, agent) });
    }
    const agents = environments.map(({ agent }) => agent);
    const release = input ?? (await app.seed.ready());
    const deployment = await deploy(release, environment, agents);
    return {
      environment,
      places: environments,
      agents,
      release,
      deployment,
      digest: release.components[0]?.digest ?? '',
    };
  };

  /** Reports a component of a target; by default one that runs a foreign digest. */
  const observe = (agent: TestAgent, targetId: string, overrides: Readonly<Record<string, unknown>> = {}) =>
    app.beat(agent, {
      observed: [
        {
          targetId,
          component: 'web',
          running: true,
          digest: unknown,
          reason: null,
          observedAt: app.deps.clock.now().toISOString(),
          ...overrides,
        },
      ],
    });

  /** Creates a ready release whose one component is an image index for two platforms. */
  const indexed = async () => {
    const imageFor = (platform: string) => buildImage({ platform, layers: [[{ path: 'app', content: platform }]] });
    const children = [imageFor('linux/amd64'), imageFor('linux/arm64')];
    const index = buildIndex(children);
    app.registry.push('shop/index', index, 'both');
    const components = [{ name: 'web', repository: app.registry.repository('shop/index'), tag: 'both' }];
    const release = await app.seed.ready({ components });
    return { release, index: index.digest, children: children.map(({ digest }) => digest) };
  };

  const viewer = app.caller('viewer');
  return {
    ...app,
    deploy,
    landed,
    sees: observe,
    indexed,
    status: () => app.module.estate.status(viewer, {}),
    drift: async (filter?: object) => (await app.module.estate.drift(viewer, { first: 200, filter })).items,
  };
};

export type EstateApp = Awaited<ReturnType<typeof estateApp>>;
