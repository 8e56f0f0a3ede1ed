import { documentBuilder } from './document-format.ts';
import type { EntityIndex } from './entity-index.ts';
import type { FactsOf } from './facts.ts';
import { asSentence, environmentName, humanize, joinLines, minute, releaseName, storyOf } from './phrases.ts';

const repositoriesOf = (entities: EntityIndex, releaseId: string): string[] =>
  (entities.find('Release', releaseId)?.components ?? []).map(({ repository }) => repository);

/** Deployment time of a completed deployment, the most frequent question. */
const deployedAt = ({ state, story: scenario }: FactsOf<'Deployment'>): string | undefined => {
  const finished = state === 'completed' ? scenario.findLast(({ text }) => text === 'completed') : undefined;
  return finished && `It was deployed on ${minute(finished.at).replace(' ', ' at ')} UTC.`;
};

const PAUSED = 'It is waiting: it goes on when somebody resumes it, or when its gate opens.';

/** Builds the timeline of a deployment as one document with a line for each entry, not one document a step. */
export const deploymentTimeline = documentBuilder('Deployment', 'timeline', 'deployment', (deployment, entities) => {
  const { kind, releaseId, environmentId, state, strategy, reason, failure, at } = deployment;
  const [release, environment] = [releaseName(entities, releaseId), environmentName(entities, environmentId)];
  const isRollback = kind === 'rollback';
  const body = joinLines(
    `${isRollback ? `A rollback of ${environment} to ${release}` : `A deployment of ${release} to ${environment}`} is ${humanize(state)}.`,
    deployedAt(deployment),
    state === 'paused' && PAUSED,
    reason !== undefined && `Why: ${asSentence(reason)}`,
    failure && `It failed: ${asSentence(failure.plainReason ?? failure.reason)}`,
    storyOf(entities, deployment.story),
  );
  return {
    title: isRollback ? `Rollback of ${environment} to ${release}` : `Deployment of ${release} to ${environment}`,
    body,
    packages: repositoriesOf(entities, releaseId),
    attributes: { state, release, environment, ...(strategy !== undefined && { strategy }) },
    at,
  };
});

const WAIT_REASONS: ReadonlyMap<string, string> = new Map([
  ['pending', 'waiting for approval'],
  ['approved', 'waiting to be deployed'],
]);

export const promotionTimeline = documentBuilder('Promotion', 'timeline', 'promotion', (promotion, entities) => {
  const { releaseId, environmentId, reason, state, story: scenario, at } = promotion;
  const [release, environment] = [releaseName(entities, releaseId), environmentName(entities, environmentId)];
  const waits = WAIT_REASONS.get(state);
  return {
    title: `Promotion of ${release} to ${environment}${waits === undefined ? '' : `, ${waits}`}`,
    body: joinLines(
      `The promotion of ${release} to ${environment} is ${humanize(state)}${waits === undefined ? '' : ` and ${waits}`}.`,
      reason !== '' && `Why: ${asSentence(reason)}`,
      storyOf(entities, scenario),
    ),
    attributes: { state, release, environment },
    at,
  };
});

export const environmentTimeline = documentBuilder(
  'Environment',
  'timeline',
  'environment',
  (environment, entities) => {
    const { name, story: scenario } = environment;
    return {
      title: `What happened in ${name}`,
      body: storyOf(entities, scenario, 'newest'),
      at: scenario.at(-1)?.at ?? environment.at,
    };
  },
);
