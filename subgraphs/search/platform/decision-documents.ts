import { type ContentOf, documentBuilder } from './document-format.ts';
import type { EntityIndex } from './entity-index.ts';
import type { Kind, Line } from './facts.ts';
import {
  actorName,
  asSentence,
  byActor,
  environmentName,
  joinLines,
  joinWords,
  releaseName,
  shortDigest,
  storyOf,
} from './phrases.ts';

/** Builds the document of a decision, which has its own card with a link to the entity it is about. */
const decision = <K extends Kind>(kind: K, contentOf: ContentOf<K>) =>
  documentBuilder(kind, 'opsmemory', 'decision', (facts, entities, id) => {
    const content = contentOf(facts, entities, id);
    return content && { entityKey: `decision:${kind.toLowerCase()}/${id}`, ...content };
  });

/** `approved by rosa and max`: the newest decision, and of approvals all that there are. */
const decided = (entities: EntityIndex, decisions: readonly Line[], { text, by }: Line): string => {
  const same = text === 'approved' ? decisions.filter((line) => line.text === text) : [{ by }];
  const names = [...new Set(same.flatMap((line) => actorName(entities, line.by) ?? []))];
  return names.length === 0 ? text : `${text} by ${joinWords(names)}`;
};

/** Builds the decisions on a promotion with their reasons; undefined before the first. */
export const promotionDecision = decision('Promotion', (promotion, entities) => {
  const newest = promotion.decisions.at(-1);
  if (!newest) return undefined;
  const { releaseId, environmentId, reason, decisions, state } = promotion;
  const name = `${releaseName(entities, releaseId)} into ${environmentName(entities, environmentId)}`;
  return {
    title: `${name} was ${decided(entities, decisions, newest)}`,
    body: joinLines(`${name} was asked for: ${asSentence(reason)}`, storyOf(entities, decisions)),
    attributes: { state },
    at: newest.at,
  };
});

/** Builds the text of a failure of or decision on a deployment with its consequences; undefined for a normal one. */
export const deploymentDecision = decision('Deployment', (deployment, entities) => {
  const { kind, releaseId, environmentId, decisions, failure, reason, state } = deployment;
  const [first, newest] = [decisions[0], decisions.at(-1)];
  const isRollback = kind === 'rollback';
  if (!first && !isRollback) return undefined;
  const [release, environment] = [releaseName(entities, releaseId), environmentName(entities, environmentId)];
  const undoneDeployment = entities.find('Deployment', deployment.undoes);
  const outcome = state === 'rolled_back' ? 'rolled back' : first?.text;
  return {
    title: isRollback ? `${environment} was rolled back to ${release}` : `${release} in ${environment}: ${outcome}`,
    body: joinLines(
      isRollback && undoneDeployment && `It took ${releaseName(entities, undoneDeployment.releaseId)} back.`,
      reason !== undefined && `Why it was done: ${asSentence(reason)}`,
      failure && `Cause: ${asSentence(failure.plainReason ?? failure.reason)} (${failure.category}, ${failure.reason})`,
      // The sentence was written for the deployment's page, which shows the log below it.
      failure?.action && `What to do: ${failure.action.replace(' below', '')}`,
      decisions.length > 0 && storyOf(entities, decisions),
    ),
    identifiers: failure ? [failure.category, failure.reason] : [],
    attributes: { state, ...(failure && { category: failure.category, reason: failure.reason }) },
    at: newest?.at ?? deployment.at,
  };
});

export const releaseDecision = decision('Release', (release, entities) => {
  const newest = release.decisions.at(-1);
  if (!newest) return undefined;
  const name = `${release.name} ${release.semver}`;
  return {
    title: `${name}: ${newest.text}${byActor(entities, newest.by)}`,
    body: storyOf(entities, release.decisions),
    attributes: { status: release.status },
    at: newest.at,
  };
});

export const deviationDecision = decision('Deviation', (deviation, entities) => {
  const { targetId, environmentId, component, digest, reason, expiresAt, isRevoked, by, at } = deviation;
  const target = entities.find('Target', targetId);
  const environment = environmentId === undefined ? '' : ` in ${environmentName(entities, environmentId)}`;
  const location = `${target?.name ?? deviation.place}${environment}`;
  const until = isRevoked
    ? 'It was taken back since.'
    : expiresAt !== '' && `It holds until ${expiresAt.slice(0, 10)}.`;
  return {
    // The graph lists a deviation at its target.
    ref: target ? { type: 'Target', id: targetId } : null,
    title: `Deviation of ${component} on ${location} accepted${byActor(entities, by)}`,
    body: joinLines(`${component} at ${shortDigest(digest)} may run on ${location}: ${asSentence(reason)}`, until),
    identifiers: [digest],
    attributes: { component, isRevoked, ...(expiresAt !== '' && { expiresAt }) },
    at,
  };
});

export const agentDecision = decision('Agent', (agent, entities) => {
  const newest = agent.decisions.at(-1);
  if (!newest) return undefined;
  return {
    title: `Agent ${agent.name}: ${newest.text}${byActor(entities, newest.by)}`,
    body: storyOf(entities, agent.decisions),
    identifiers: [agent.name],
    at: newest.at,
  };
});
