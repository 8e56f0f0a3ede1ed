import type { Event } from '@landfall/kernel/events/read';
import type { World } from './entity-index.ts';
import { type Data, dataIn, flagIn, listIn, numberIn, present, textIn, textsIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import {
  agentName,
  listed,
  releaseName,
  type Said,
  sentence,
  short,
  targetName,
  withLine,
  withoutCredentials,
} from './phrases.ts';

type Environment = FactsOf<'Environment'>;

/** The rules of an environment as its newest event says them: whole where it does, else what changed. */
const rulesIn = (data: Data): Partial<Environment> => {
  const rules = { ...data, ...dataIn(data, 'rules') };
  const evidence = rules.requiredEvidence === undefined ? undefined : textsIn(rules, 'requiredEvidence');
  return present({
    name: textIn(rules, 'name'),
    stageKind: textIn(rules, 'stageKind'),
    requiredApprovals: numberIn(rules, 'requiredApprovals'),
    separationOfDuties: textIn(rules, 'separationOfDuties'),
    defaultStrategy: textIn(rules, 'defaultStrategy'),
    requiredEvidence: evidence,
  });
};

const isRenamed = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && after !== undefined && before !== after;

export const foldEnvironment = (world: World, { type, entityId: id, actor: by, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'environment.create') {
    const story = withLine([], at, { text: 'environment created', by });
    const begun = { name: id, requiredEvidence: [], targets: [], at, story };
    world.set('Environment', id, { ...begun, ...rulesIn(data) });
    return;
  }
  if (type !== 'environment.update') return;
  if (isRenamed(world.find('Environment', id)?.name, rulesIn(data).name)) world.rename({ kind: 'Environment', id });
  world.change('Environment', id, (environment) => ({
    ...rulesIn(data),
    story: withLine(environment.story, at, { text: 'its rules were changed', by }),
  }));
  for (const target of world.find('Environment', id)?.targets ?? []) {
    const { agentId, landed } = world.find('Target', target) ?? {};
    world.touch('Target', target);
    world.touch('Agent', agentId);
    world.touch('Release', landed?.releaseId);
  }
};

const added = (ids: readonly string[], id: string): string[] => [...new Set([...ids, id])];
const without = (ids: readonly string[], id: string): string[] => ids.filter((each) => each !== id);

const tellEnvironment = (world: World, id: string | undefined, at: string, said: Said): void =>
  world.change('Environment', id, ({ story }) => ({ story: withLine(story, at, said) }));

const createTarget = (world: World, { entityId: id, data, at: when }: Event): void => {
  const at = when.toISOString();
  const [environmentId, agentId] = [textIn(data, 'environmentId'), textIn(data, 'agentId')];
  if (environmentId === undefined) return;
  const begun = { isEnabled: true, health: 'unknown', observed: {}, drift: [], at };
  const [name, driver] = [textIn(data, 'name') ?? id, textIn(data, 'driver') ?? 'unknown'];
  world.set('Target', id, { name, driver, environmentId, ...present({ agentId }), ...begun });
  world.change('Environment', environmentId, ({ targets }) => ({ targets: added(targets, id) }));
  world.change('Agent', agentId, ({ targets }) => ({ targets: added(targets, id) }));
};

const assign = (world: World, id: string, data: Data): void => {
  const before = world.find('Target', id)?.agentId;
  const agentId = textIn(data, 'agentId');
  world.change('Agent', before, ({ targets }) => ({ targets: without(targets, id) }));
  world.change('Agent', agentId, ({ targets }) => ({ targets: added(targets, id) }));
  world.change('Target', id, () => present({ agentId }));
};

const removeTarget = (world: World, id: string): void => {
  const target = world.find('Target', id);
  if (!target) return;
  world.change('Environment', target.environmentId, ({ targets }) => ({ targets: without(targets, id) }));
  world.change('Agent', target.agentId, ({ targets }) => ({ targets: without(targets, id) }));
  leave(world, id, target.landed?.releaseId);
  world.remove('Target', id);
  world.rename({ kind: 'Target', id });
};

/** What was put there before is there no more. */
const leave = (world: World, id: string, releaseId: string | undefined): void =>
  world.change('Release', releaseId, ({ landed: { [id]: _, ...landed } }) => ({ landed }));

const land = (world: World, { entityId: id, data, at: when }: Event): void => {
  const [releaseId, deploymentId] = [textIn(data, 'release'), textIn(data, 'deployment')];
  const target = world.find('Target', id);
  if (!target || releaseId === undefined || deploymentId === undefined) return;
  leave(world, id, target.landed?.releaseId);
  const landed = { releaseId, deploymentId, at: when.toISOString() };
  world.change('Target', id, () => ({ landed, drift: [] }));
  world.change('Release', releaseId, (release) => ({ landed: { ...release.landed, [id]: target.environmentId } }));
};

const observedIn = (data: Data): Record<string, string> =>
  Object.fromEntries(
    listIn(data, 'observed').flatMap((each) => {
      const [component, digest] = [textIn(each, 'component'), textIn(each, 'digest')];
      return component === undefined || digest === undefined ? [] : [[component, digest]];
    }),
  );

const drift = (world: World, { type, entityId: id, data, at: when }: Event): void => {
  const components = Object.keys(observedIn(data));
  const target = world.find('Target', id);
  if (!target) return;
  const isBeginning = type === 'estate.driftBegan';
  const after = isBeginning
    ? [...new Set([...target.drift, ...components])]
    : target.drift.filter((component) => !components.includes(component));
  world.change('Target', id, () => ({ drift: after }));
  const seen = Object.entries(observedIn(data)).map(([component, digest]) => `${component} at ${short(digest)}`);
  const text = isBeginning
    ? `drift began on ${target.name}: it runs ${listed(seen)}, which nobody approved`
    : `drift ended on ${target.name}`;
  tellEnvironment(world, target.environmentId, when.toISOString(), text);
};

const TARGETS: Readonly<Record<string, (world: World, event: Event) => void>> = {
  'target.create': createTarget,
  'target.assignAgent': (world, { entityId, data }) => assign(world, entityId, data),
  'target.update': (world, { entityId, data }) => {
    const name = textIn(data, 'name');
    if (isRenamed(world.find('Target', entityId)?.name, name)) world.rename({ kind: 'Target', id: entityId });
    world.change('Target', entityId, () => present({ name }));
  },
  'target.disable': (world, { entityId }) => world.change('Target', entityId, () => ({ isEnabled: false })),
  'target.enable': (world, { entityId }) => world.change('Target', entityId, () => ({ isEnabled: true })),
  'target.remove': (world, { entityId }) => removeTarget(world, entityId),
  'target.health': (world, { entityId, data }) =>
    world.change('Target', entityId, () => ({
      health: textIn(data, 'state') ?? 'unknown',
      healthDetail: textIn(data, 'detail') ?? '',
    })),
  'target.observed': (world, { entityId, data }) =>
    world.change('Target', entityId, ({ observed }) => ({ observed: { ...observed, ...observedIn(data) } })),
  'estate.landed': land,
  'estate.driftBegan': drift,
  'estate.driftEnded': drift,
};

/** What happened to a target is told of its environment, its agent and what runs there as well. */
export const foldTarget = (world: World, event: Event): void => {
  const { environmentId, agentId } = world.find('Target', event.entityId) ?? {};
  if (Object.hasOwn(TARGETS, event.type)) TARGETS[event.type]?.(world, event);
  const after = world.find('Target', event.entityId);
  for (const id of new Set([environmentId, after?.environmentId])) world.touch('Environment', id);
  for (const id of new Set([agentId, after?.agentId])) world.touch('Agent', id);
};

export const foldAgent = (world: World, { type, entityId: id, actor: by, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'agent.register') {
    const name = textIn(data, 'name') ?? id;
    world.set('Agent', id, { name, state: 'active', targets: [], at, decisions: [] });
    return;
  }
  const state = type.slice('agent.'.length);
  if (state === 'renewCertificate') return;
  world.change('Agent', id, ({ decisions }) => ({
    state: state === 'revoke' ? 'revoked' : state,
    decisions:
      state === 'revoke'
        ? withLine(decisions, at, {
            text: 'revoked',
            by,
            more: `: ${sentence(textIn(data, 'reason') ?? 'no reason given')}`,
          })
        : decisions,
  }));
  for (const target of world.find('Agent', id)?.targets ?? []) {
    world.touch('Target', target);
    world.touch('Environment', world.find('Target', target)?.environmentId);
  }
};

export const foldIntegration = (world: World, { type, entityId: id, data, at }: Event): void => {
  if (type === 'integration.create')
    world.set('Integration', id, {
      name: textIn(data, 'name') ?? id,
      kind: textIn(data, 'kind') ?? 'integration',
      address: withoutCredentials(textIn(data, 'baseUrl') ?? ''),
      at: at.toISOString(),
    });
  if (type === 'integration.test') world.change('Integration', id, () => present({ isWell: flagIn(data, 'ok') }));
  if (type === 'integration.remove') world.remove('Integration', id);
};

export const foldDeviation = (world: World, { type, entityId: id, actor: by, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'estate.revokeDeviation') {
    world.change('Deviation', id, () => ({ isRevoked: true }));
    return;
  }
  const targetId = textIn(data, 'targetId');
  if (type !== 'estate.acceptDeviation' || targetId === undefined) return;
  const [component, digest] = [textIn(data, 'component') ?? '', textIn(data, 'digest') ?? ''];
  const reason = textIn(data, 'reason') ?? 'no reason given';
  const expiresAt = textIn(data, 'expiresAt') ?? '';
  const target = world.find('Target', targetId);
  world.set('Deviation', id, {
    targetId,
    place: targetName(world, targetId),
    ...present({ environmentId: target?.environmentId }),
    component,
    digest,
    reason,
    expiresAt,
    isRevoked: false,
    by,
    at,
  });
  const text = `a deviation of ${component} on ${targetName(world, targetId)} was accepted`;
  tellEnvironment(world, target?.environmentId, at, { text, by, more: `: ${sentence(reason)}` });
};

/** What a target runs, in words. */
export const runsOf = (world: World, { landed }: FactsOf<'Target'>): string | undefined =>
  landed && releaseName(world, landed.releaseId);

/** Who serves a target, in words. */
export const servedBy = (world: World, { agentId }: FactsOf<'Target'>): string | undefined =>
  agentId === undefined ? undefined : agentName(world, agentId);
