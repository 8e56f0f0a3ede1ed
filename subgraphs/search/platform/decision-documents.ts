import type { Chunk } from '../corpus/chunk.ts';
import { documentOf, type Telling } from './document-format.ts';
import type { World } from './entity-index.ts';
import type { Kind, Line } from './facts.ts';
import { byWhom, doerName, environmentName, lines, listed, releaseName, sentence, short, storyOf } from './phrases.ts';

/** A decision is found beside what it was about: its own card, which leads there. */
const decision = (kind: Kind, id: string, telling: Telling, type: string | undefined = kind): Chunk =>
  documentOf(
    { kind, id, domain: 'opsmemory', entityType: 'decision', ref: type === undefined ? undefined : { type, id } },
    { entityKey: `decision:${kind.toLowerCase()}/${id}`, ...telling },
  );

/** `approved by rosa and max`: the newest decision, and of approvals all that there are. */
const decided = (world: World, decisions: readonly Line[], { text, by }: Line): string => {
  const same = text === 'approved' ? decisions.filter((line) => line.text === text) : [{ by }];
  const names = [...new Set(same.flatMap((line) => doerName(world, line.by) ?? []))];
  return names.length === 0 ? text : `${text} by ${listed(names)}`;
};

/** What was decided of a promotion, with the reasons that were given; nothing while nobody has decided. */
export const promotionDecision = (world: World, id: string): Chunk | undefined => {
  const promotion = world.find('Promotion', id);
  const newest = promotion?.decisions.at(-1);
  if (!promotion || !newest) return undefined;
  const { releaseId, environmentId, reason, decisions, state } = promotion;
  const what = `${releaseName(world, releaseId)} into ${environmentName(world, environmentId)}`;
  return decision('Promotion', id, {
    title: `${what} was ${decided(world, decisions, newest)}`,
    body: lines(`${what} was asked for: ${sentence(reason)}`, storyOf(world, decisions)),
    attributes: { state },
    at: newest.at,
  });
};

/** What went wrong with a deployment or was decided of it, and what followed; nothing where all went as it should. */
export const deploymentDecision = (world: World, id: string): Chunk | undefined => {
  const deployment = world.find('Deployment', id);
  if (!deployment) return undefined;
  const { kind, releaseId, environmentId, decisions, failure, reason, state } = deployment;
  const [first, newest] = [decisions[0], decisions.at(-1)];
  const isRollback = kind === 'rollback';
  if (!first && !isRollback) return undefined;
  const [release, environment] = [releaseName(world, releaseId), environmentName(world, environmentId)];
  const undone = world.find('Deployment', deployment.undoes);
  const outcome = state === 'rolled_back' ? 'rolled back' : first?.text;
  return decision('Deployment', id, {
    title: isRollback ? `${environment} was rolled back to ${release}` : `${release} in ${environment}: ${outcome}`,
    body: lines(
      isRollback && undone && `It took ${releaseName(world, undone.releaseId)} back.`,
      reason !== undefined && `Why it was done: ${sentence(reason)}`,
      failure && `Cause: ${sentence(failure.plainReason ?? failure.reason)} (${failure.category}, ${failure.reason})`,
      // Written for the deployment's page, where the log stands below.
      failure?.action && `What to do: ${failure.action.replace(' below', '')}`,
      decisions.length > 0 && storyOf(world, decisions),
    ),
    identifiers: failure ? [failure.category, failure.reason] : [],
    attributes: { state, ...(failure && { category: failure.category, reason: failure.reason }) },
    at: newest?.at ?? deployment.at,
  });
};

/** A release that was held, let go or deprecated. */
export const releaseDecision = (world: World, id: string): Chunk | undefined => {
  const release = world.find('Release', id);
  const newest = release?.decisions.at(-1);
  if (!release || !newest) return undefined;
  const name = `${release.name} ${release.semver}`;
  return decision('Release', id, {
    title: `${name}: ${newest.text}${byWhom(world, newest.by)}`,
    body: storyOf(world, release.decisions),
    attributes: { status: release.status },
    at: newest.at,
  });
};

/** Something that runs although it was not approved, and that somebody put up with for a while. */
export const deviationDecision = (world: World, id: string): Chunk | undefined => {
  const deviation = world.find('Deviation', id);
  if (!deviation) return undefined;
  const { targetId, environmentId, component, digest, reason, expiresAt, isRevoked, by, at } = deviation;
  const target = world.find('Target', targetId);
  const environment = environmentId === undefined ? '' : ` in ${environmentName(world, environmentId)}`;
  const place = `${target?.name ?? deviation.place}${environment}`;
  const until = isRevoked
    ? 'It was taken back since.'
    : expiresAt !== '' && `It holds until ${expiresAt.slice(0, 10)}.`;
  return documentOf(
    {
      kind: 'Deviation',
      id,
      domain: 'opsmemory',
      entityType: 'decision',
      // The graph shows a deviation at its target.
      ref: target && { type: 'Target', id: targetId },
    },
    {
      entityKey: `decision:deviation/${id}`,
      title: `Deviation of ${component} on ${place} accepted${byWhom(world, by)}`,
      body: lines(`${component} at ${short(digest)} may run on ${place}: ${sentence(reason)}`, until),
      identifiers: [digest],
      attributes: { component, isRevoked, ...(expiresAt !== '' && { expiresAt }) },
      at,
    },
  );
};

export const agentDecision = (world: World, id: string): Chunk | undefined => {
  const agent = world.find('Agent', id);
  const newest = agent?.decisions.at(-1);
  if (!agent || !newest) return undefined;
  return decision('Agent', id, {
    title: `Agent ${agent.name}: ${newest.text}${byWhom(world, newest.by)}`,
    body: storyOf(world, agent.decisions),
    identifiers: [agent.name],
    at: newest.at,
  });
};
