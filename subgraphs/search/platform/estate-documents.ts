import { documentBuilder } from './document-format.ts';
import type { EntityIndex } from './entity-index.ts';
import type { FactsOf } from './facts.ts';
import { runsOf, servedBy } from './fold-estate.ts';
import { asSentence, componentsOf, environmentName, joinLines, joinWords, shortDigest } from './phrases.ts';

type Target = FactsOf<'Target'>;

const targetsOf = (entities: EntityIndex, ids: readonly string[]): Target[] =>
  ids.flatMap((id) => entities.find('Target', id) ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Releases, digests and packages that run on targets. */
const running = (entities: EntityIndex, targets: readonly Target[]) => {
  const releases = [...new Set(targets.flatMap(({ landed }) => landed?.releaseId ?? []))];
  const known = releases.flatMap((id) => entities.find('Release', id) ?? []);
  const components = known.flatMap((release) => release.components);
  const approved = components.flatMap(({ digest }) => digest ?? []);
  return {
    releases: known,
    digests: [...new Set([...approved, ...targets.flatMap(({ observed }) => Object.values(observed))])],
    packages: components.map(({ repository }) => repository),
  };
};

const targetLine = (entities: EntityIndex, target: Target): string => {
  const { name, driver, health, healthDetail, drift, isEnabled } = target;
  const agent = servedBy(entities, target);
  const reason = healthDetail === undefined || healthDetail === '' ? '' : ` (${healthDetail})`;
  return [
    `${name} (${driver}) runs ${runsOf(entities, target) ?? 'nothing of ours'}`,
    agent === undefined ? 'no agent serves it' : `agent ${agent} serves it`,
    isEnabled ? `it is ${health}${reason}` : 'it is disabled',
    ...(drift.length > 0 ? [`${joinWords(drift)} drifted from what was approved`] : []),
  ].join('; ');
};

const separation = (word: string | undefined): string | undefined =>
  word === undefined || word === 'off' ? undefined : `separation of duties: ${word}`;

const rulesOf = ({ requiredApprovals, separationOfDuties, requiredEvidence, ...environment }: FactsOf<'Environment'>) =>
  [
    requiredApprovals === undefined
      ? undefined
      : `${requiredApprovals} ${requiredApprovals === 1 ? 'approval' : 'approvals'} needed`,
    separation(separationOfDuties),
    requiredEvidence.length > 0 ? `evidence required: ${joinWords(requiredEvidence)}` : undefined,
    environment.defaultStrategy && `deployed ${environment.defaultStrategy.replaceAll('_', ' ')} by default`,
  ].filter((rule) => rule !== undefined);

/** Builds the document of an environment: what runs in it, on which targets, by which agents, under which rules. */
export const environmentDocument = documentBuilder('Environment', 'graph', 'environment', (environment, entities) => {
  const { name, stageKind, requiredApprovals } = environment;
  const targets = targetsOf(entities, environment.targets);
  const { releases, digests, packages } = running(entities, targets);
  const rules = rulesOf(environment);
  const label = releases.map((release) => `${release.name} ${release.semver}: ${componentsOf(release)}`);
  const body = joinLines(
    label.length > 0 ? `${name} runs ${label.join('; ')}.` : `Nothing of ours runs in ${name} yet.`,
    ...targets.map((target) => asSentence(targetLine(entities, target))),
    rules.length > 0 && `Its rules: ${rules.join('; ')}.`,
  );
  return {
    title: `Environment ${name}`,
    body,
    identifiers: digests,
    packages,
    attributes: {
      name,
      ...(stageKind !== undefined && { stageKind }),
      ...(requiredApprovals !== undefined && { requiredApprovals }),
    },
    at: environment.at,
  };
});

export const targetDocument = documentBuilder('Target', 'graph', 'target', (target, entities) => {
  const { releases, digests, packages } = running(entities, [target]);
  const observation = Object.entries(target.observed).map(
    ([component, digest]) => `${component} at ${shortDigest(digest)}`,
  );
  const environment = environmentName(entities, target.environmentId);
  const body = joinLines(
    `A target of ${environment}: ${asSentence(targetLine(entities, target))}`,
    ...releases.map((release) => `What landed there: ${componentsOf(release)}.`),
    observation.length > 0 && `Seen running: ${joinWords(observation)}.`,
  );
  return {
    title: `Target ${target.name} in ${environment}`,
    body,
    identifiers: [target.name, ...digests],
    packages,
    attributes: { environment, driver: target.driver, health: target.health },
    at: target.at,
  };
});

/** Builds the document of an agent and its targets. A revoked agent has no document. */
export const agentDocument = documentBuilder('Agent', 'graph', 'agent', (agent, entities) => {
  if (!agent || agent.state === 'revoked') return undefined;
  const served = targetsOf(entities, agent.targets).map(
    ({ name, environmentId }) => `${name} in ${environmentName(entities, environmentId)}`,
  );
  return {
    title: `Agent ${agent.name}`,
    body: `Agent ${agent.name} is ${agent.state}. ${served.length > 0 ? `It serves ${joinWords(served)}.` : 'It serves no target.'}`,
    identifiers: [agent.name],
    attributes: { state: agent.state },
    at: agent.at,
  };
});

export const integrationDocument = documentBuilder('Integration', 'graph', 'integration', (integration) => {
  const { name, kind, address, isWell } = integration;
  const state =
    isWell === undefined ? '' : isWell ? ' When it was last tested, it answered.' : ' Its last test failed.';
  return {
    title: `${name} (${kind})`,
    body: `An integration of kind ${kind}${address === '' ? '' : ` at ${address}`}.${state}`,
    identifiers: address === '' ? [] : [address],
    attributes: { kind },
    at: integration.at,
  };
});
