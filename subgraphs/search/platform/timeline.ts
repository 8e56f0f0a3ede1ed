import type { Chunk } from '../corpus/chunk.ts';
import { documentOf } from './document.ts';
import { environmentName, lines, releaseName, sentence, spoken, storyOf } from './words.ts';
import type { World } from './world.ts';

const repositoriesOf = (world: World, releaseId: string): string[] =>
  (world.find('Release', releaseId)?.components ?? []).map(({ repository }) => repository);

/** The story of a deployment, line by line: one document, not one a step. */
export const deploymentTimeline = (world: World, id: string): Chunk | undefined => {
  const deployment = world.find('Deployment', id);
  if (!deployment) return undefined;
  const { kind, releaseId, environmentId, state, strategy, reason, failure, at } = deployment;
  const [release, environment] = [releaseName(world, releaseId), environmentName(world, environmentId)];
  const isRollback = kind === 'rollback';
  const body = lines(
    `${isRollback ? `A rollback of ${environment} to ${release}` : `A deployment of ${release} to ${environment}`} is ${spoken(state)}.`,
    reason !== undefined && `Why: ${sentence(reason)}`,
    failure && `It failed: ${sentence(failure.plainReason ?? failure.reason)}`,
    storyOf(deployment.story),
  );
  return documentOf(
    { kind: 'Deployment', id, domain: 'timeline', entityType: 'deployment', ref: { type: 'Deployment', id } },
    {
      title: isRollback ? `Rollback of ${environment} to ${release}` : `Deployment of ${release} to ${environment}`,
      body,
      packages: repositoriesOf(world, releaseId),
      attributes: { state, release, environment, ...(strategy !== undefined && { strategy }) },
      at,
    },
  );
};

export const promotionTimeline = (world: World, id: string): Chunk | undefined => {
  const promotion = world.find('Promotion', id);
  if (!promotion) return undefined;
  const { releaseId, environmentId, reason, state, story, at } = promotion;
  const [release, environment] = [releaseName(world, releaseId), environmentName(world, environmentId)];
  return documentOf(
    { kind: 'Promotion', id, domain: 'timeline', entityType: 'promotion', ref: { type: 'Promotion', id } },
    {
      title: `Promotion of ${release} to ${environment}`,
      body: lines(
        `The promotion of ${release} to ${environment} is ${spoken(state)}.`,
        reason !== '' && `Why: ${sentence(reason)}`,
        storyOf(story),
      ),
      attributes: { state, release, environment },
      at,
    },
  );
};

/** What happened in an environment, the newest first. */
export const environmentTimeline = (world: World, id: string): Chunk | undefined => {
  const environment = world.find('Environment', id);
  if (!environment) return undefined;
  const { name, story } = environment;
  return documentOf(
    { kind: 'Environment', id, domain: 'timeline', entityType: 'environment', ref: { type: 'Environment', id } },
    {
      title: `What happened in ${name}`,
      body: storyOf(story, 'newest'),
      at: story.at(-1)?.at ?? environment.at,
    },
  );
};
