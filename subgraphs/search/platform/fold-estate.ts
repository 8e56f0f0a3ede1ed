import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, dataIn, flagIn, listIn, numberIn, present, textIn, textsIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import {
  agentName,
  asSentence,
  joinWords,
  releaseName,
  type StoryLine,
  shortDigest,
  targetName,
  withLine,
  withoutCredentials,
} from './phrases.ts';

type Environment = FactsOf<'Environment'>;

/** Rules in the newest event, complete or changed only. */
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

export const foldEnvironment = (entities: EntityIndex, { type, entityId: id, actor: by, data, at: when }: Event) => {
  const at = when.toISOString();
  if (type === 'environment.create') {
    const scenario = withLine([], at, { text: 'environment created', by });
    const started = { name: id, requiredEvidence: [], targets: [], at, story: scenario };
    entities.set('Environment', id, { ...started, ...rulesIn(data) });
    return;
  }
  if (type === 'environment.remove') entities.remove('Environment', id);
  if (type !== 'environment.update') return;
  if (isRenamed(entities.find('Environment', id)?.name, rulesIn(data).name))
    entities.rename({ kind: 'Environment', id });
  entities.change('Environment', id, (environment) => ({
    ...rulesIn(data),
    story: withLine(environment.story, at, { text: 'its rules were changed', by }),
  }));
  for (const target of entities.find('Environment', id)?.targets ?? []) {
    const { agentId, landed } = entities.find('Target', target) ?? {};
    entities.touch('Target', target);
    entities.touch('Agent', agentId);
    entities.touch('Release', landed?.releaseId);
  }
};

const added = (ids: readonly string[], id: string): string[] => [...new Set([...ids, id])];
const without = (ids: readonly string[], id: string): string[] => ids.filter((each) => each !== id);

const noteOnEnvironment = (entities: EntityIndex, id: string | undefined, at: string, line: StoryLine): void =>
  entities.change('Environment', id, ({ story: scenario }) => ({ story: withLine(scenario, at, line) }));

const createTarget = (entities: EntityIndex, { entityId: id, data, at: when }: Event): void => {
  const at = when.toISOString();
  const [environmentId, agentId] = [textIn(data, 'environmentId'), textIn(data, 'agentId')];
  if (environmentId === undefined) return;
  const started = { isEnabled: true, health: 'unknown', observed: {}, drift: [], at };
  const [name, driver] = [textIn(data, 'name') ?? id, textIn(data, 'driver') ?? 'unknown'];
  entities.set('Target', id, { name, driver, environmentId, ...present({ agentId }), ...started });
  entities.change('Environment', environmentId, ({ targets }) => ({ targets: added(targets, id) }));
  entities.change('Agent', agentId, ({ targets }) => ({ targets: added(targets, id) }));
};

const assign = (entities: EntityIndex, id: string, data: Data): void => {
  const before = entities.find('Target', id)?.agentId;
  const agentId = textIn(data, 'agentId');
  entities.change('Agent', before, ({ targets }) => ({ targets: without(targets, id) }));
  entities.change('Agent', agentId, ({ targets }) => ({ targets: added(targets, id) }));
  entities.change('Target', id, () => present({ agentId }));
};

const removeTarget = (entities: EntityIndex, id: string): void => {
  const target = entities.find('Target', id);
  if (!target) return;
  entities.change('Environment', target.environmentId, ({ targets }) => ({ targets: without(targets, id) }));
  entities.change('Agent', target.agentId, ({ targets }) => ({ targets: without(targets, id) }));
  clearLanding(entities, id, target.landed?.releaseId);
  entities.remove('Target', id);
  entities.rename({ kind: 'Target', id });
};

const clearLanding = (entities: EntityIndex, id: string, releaseId: string | undefined): void =>
  entities.change('Release', releaseId, ({ landed: { [id]: _, ...landed } }) => ({ landed }));

const recordLanding = (entities: EntityIndex, { entityId: id, data, at: when }: Event): void => {
  const [releaseId, deploymentId] = [textIn(data, 'release'), textIn(data, 'deployment')];
  const target = entities.find('Target', id);
  if (!target || releaseId === undefined || deploymentId === undefined) return;
  clearLanding(entities, id, target.landed?.releaseId);
  const landed = { releaseId, deploymentId, at: when.toISOString() };
  entities.change('Target', id, () => ({ landed, drift: [] }));
  entities.change('Release', releaseId, (release) => ({ landed: { ...release.landed, [id]: target.environmentId } }));
};

const observedIn = (data: Data): Record<string, string> =>
  Object.fromEntries(
    listIn(data, 'observed').flatMap((each) => {
      const [component, digest] = [textIn(each, 'component'), textIn(each, 'digest')];
      return component === undefined || digest === undefined ? [] : [[component, digest]];
    }),
  );

const recordDrift = (entities: EntityIndex, { type, entityId: id, data, at: when }: Event): void => {
  const components = Object.keys(observedIn(data));
  const target = entities.find('Target', id);
  if (!target) return;
  const isStart = type === 'estate.driftBegan';
  const after = isStart
    ? [...new Set([...target.drift, ...components])]
    : target.drift.filter((component) => !components.includes(component));
  entities.change('Target', id, () => ({ drift: after }));
  const observation = Object.entries(observedIn(data)).map(
    ([component, digest]) => `${component} at ${shortDigest(digest)}`,
  );
  const text = isStart
    ? `drift began on ${target.name}: it runs ${joinWords(observation)}, which nobody approved`
    : `drift ended on ${target.name}`;
  noteOnEnvironment(entities, target.environmentId, when.toISOString(), text);
};

const TARGETS: Readonly<Record<string, (entities: EntityIndex, event: Event) => void>> = {
  'target.create': createTarget,
  'target.assignAgent': (entities, { entityId, data }) => assign(entities, entityId, data),
  'target.update': (entities, { entityId, data }) => {
    const name = textIn(data, 'name');
    if (isRenamed(entities.find('Target', entityId)?.name, name)) entities.rename({ kind: 'Target', id: entityId });
    entities.change('Target', entityId, () => present({ name }));
  },
  'target.disable': (entities, { entityId }) => entities.change('Target', entityId, () => ({ isEnabled: false })),
  'target.enable': (entities, { entityId }) => entities.change('Target', entityId, () => ({ isEnabled: true })),
  'target.remove': (entities, { entityId }) => removeTarget(entities, entityId),
  'target.health': (entities, { entityId, data }) =>
    entities.change('Target', entityId, () => ({
      health: textIn(data, 'state') ?? 'unknown',
      healthDetail: textIn(data, 'detail') ?? '',
    })),
  'target.observed': (entities, { entityId, data }) =>
    entities.change('Target', entityId, ({ observed }) => ({ observed: { ...observed, ...observedIn(data) } })),
  'estate.landed': recordLanding,
  'estate.driftBegan': recordDrift,
  'estate.driftEnded': recordDrift,
};

/** Folds target events and marks the environment, agent and release. */
export const foldTarget = (entities: EntityIndex, event: Event): void => {
  const { environmentId, agentId } = entities.find('Target', event.entityId) ?? {};
  if (Object.hasOwn(TARGETS, event.type)) TARGETS[event.type]?.(entities, event);
  const after = entities.find('Target', event.entityId);
  for (const id of new Set([environmentId, after?.environmentId])) entities.touch('Environment', id);
  for (const id of new Set([agentId, after?.agentId])) entities.touch('Agent', id);
};

export const foldAgent = (entities: EntityIndex, { type, entityId: id, actor: by, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'agent.register') {
    const name = textIn(data, 'name') ?? id;
    entities.set('Agent', id, { name, state: 'active', targets: [], at, decisions: [] });
    return;
  }
  const state = type.slice('agent.'.length);
  if (state === 'renewCertificate') return;
  entities.change('Agent', id, ({ decisions }) => ({
    state: state === 'revoke' ? 'revoked' : state,
    decisions:
      state === 'revoke'
        ? withLine(decisions, at, {
            text: 'revoked',
            by,
            more: `: ${asSentence(textIn(data, 'reason') ?? 'no reason given')}`,
          })
        : decisions,
  }));
  for (const target of entities.find('Agent', id)?.targets ?? []) {
    entities.touch('Target', target);
    entities.touch('Environment', entities.find('Target', target)?.environmentId);
  }
};

export const foldIntegration = (entities: EntityIndex, { type, entityId: id, data, at }: Event): void => {
  if (type === 'integration.create')
    entities.set('Integration', id, {
      name: textIn(data, 'name') ?? id,
      kind: textIn(data, 'kind') ?? 'integration',
      address: withoutCredentials(textIn(data, 'baseUrl') ?? ''),
      at: at.toISOString(),
    });
  if (type === 'integration.test') entities.change('Integration', id, () => present({ isWell: flagIn(data, 'ok') }));
  if (type === 'integration.remove') entities.remove('Integration', id);
};

export const foldDeviation = (entities: EntityIndex, { type, entityId: id, actor: by, data, at: when }: Event) => {
  const at = when.toISOString();
  if (type === 'estate.revokeDeviation') {
    entities.change('Deviation', id, () => ({ isRevoked: true }));
    return;
  }
  const targetId = textIn(data, 'targetId');
  if (type !== 'estate.acceptDeviation' || targetId === undefined) return;
  const [component, digest] = [textIn(data, 'component') ?? '', textIn(data, 'digest') ?? ''];
  const reason = textIn(data, 'reason') ?? 'no reason given';
  const expiresAt = textIn(data, 'expiresAt') ?? '';
  const target = entities.find('Target', targetId);
  entities.set('Deviation', id, {
    targetId,
    place: targetName(entities, targetId),
    ...present({ environmentId: target?.environmentId }),
    component,
    digest,
    reason,
    expiresAt,
    isRevoked: false,
    by,
    at,
  });
  const text = `a deviation of ${component} on ${targetName(entities, targetId)} was accepted`;
  noteOnEnvironment(entities, target?.environmentId, at, { text, by, more: `: ${asSentence(reason)}` });
};

export const runsOf = (entities: EntityIndex, { landed }: FactsOf<'Target'>): string | undefined =>
  landed && releaseName(entities, landed.releaseId);

export const servedBy = (entities: EntityIndex, { agentId }: FactsOf<'Target'>): string | undefined =>
  agentId === undefined ? undefined : agentName(entities, agentId);
