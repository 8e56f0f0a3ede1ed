import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, flagIn, present, textIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { asSentence, humanize, releaseName, type StoryLine, withLine } from './phrases.ts';

type Deployment = FactsOf<'Deployment'>;

interface TimelineLine {
  readonly text: string;
  readonly more?: string;
  readonly by?: string;
  /** A decision or a failure, listed among decisions. */
  readonly isKept?: boolean;
  /** Part of the environment's story too. */
  readonly isShown?: boolean;
}

const launched = (entities: EntityIndex, { actor: by, data, at: when }: Event): Deployment => {
  const at = when.toISOString();
  const promotionId = textIn(data, 'promotion');
  const promotion = entities.find('Promotion', promotionId);
  const strategy = textIn(data, 'strategy');
  return {
    kind: 'deploy',
    ...present({ promotionId, strategy, retryOf: textIn(data, 'retryOf') }),
    releaseId: textIn(data, 'release') ?? promotion?.releaseId ?? '',
    environmentId: textIn(data, 'environment') ?? promotion?.environmentId ?? '',
    state: 'queued',
    ...present({ reason: promotion?.reason }),
    isAttested: false,
    at,
    story: withLine([], at, {
      text: 'launched',
      by,
      ...(strategy !== undefined && { more: `, ${humanize(strategy)}` }),
    }),
    decisions: [],
  };
};

const rolledBack = (entities: EntityIndex, { actor: by, data, at: when }: Event): Deployment => {
  const at = when.toISOString();
  const [undoes, restores] = [textIn(data, 'undoes'), textIn(data, 'restores')];
  const restored = entities.find('Deployment', restores);
  const reason = textIn(data, 'reason');
  return {
    kind: 'rollback',
    releaseId: restored?.releaseId ?? '',
    environmentId: textIn(data, 'environment') ?? restored?.environmentId ?? '',
    state: 'queued',
    ...present({ undoes, restores, reason, promotionId: restored?.promotionId }),
    isAttested: false,
    at,
    story: withLine([], at, { ...because('rollback begun', data), by }),
    decisions: [],
  };
};

const failureIn = (data: Data): Deployment['failure'] => {
  const [category, reason] = [textIn(data, 'category'), textIn(data, 'reason')];
  if (category === undefined || reason === undefined) return undefined;
  const explanation = {
    stage: textIn(data, 'stage'),
    plainReason: textIn(data, 'plainReason'),
    action: textIn(data, 'action'),
  };
  return { category, reason, ...present(explanation) };
};

const because = (text: string, data: Data): TimelineLine => {
  const reason = textIn(data, 'reason');
  return reason === undefined ? { text } : { text, more: `: ${asSentence(reason)}` };
};

/** Failure line; a halt is attributed to its actor. The event's own text is more specific than the category. */
const failed = (failure: Deployment['failure'], line: string | undefined, by: string): TimelineLine => {
  const isHalted = failure?.category === 'StrategyGateHalted';
  const reason = line ?? failure?.plainReason ?? (failure && `${failure.category}, ${failure.reason}`);
  return {
    text: isHalted ? 'halted' : 'failed',
    ...(reason !== undefined && { more: `: ${asSentence(reason)}` }),
    ...(isHalted && { by }),
  };
};

/** Timeline line of a phase transition; undefined for routine transitions. */
const advanced = (data: Data, by: string): TimelineLine | undefined => {
  const line = textIn(data, 'said');
  const failure = failureIn(data);
  switch (textIn(data, 'state')) {
    case 'completed':
      return { text: 'completed', isShown: true };
    case 'failed':
      return { ...failed(failure, line, by), isKept: true, isShown: true };
    case 'paused':
      return { text: data.pauseReason === 'traffic_gate' ? 'waits at a gate' : 'paused' };
    case 'cancelled':
      return { text: 'cancelled', isShown: true };
    case 'rollback_in_progress':
      return { text: 'is being rolled back' };
    default:
      return undefined;
  }
};

const LINE_BUILDERS: Readonly<Record<string, (data: Data, by: string) => TimelineLine | undefined>> = {
  'deployment.advance': advanced,
  'deployment.pause': (_, by) => ({ text: 'paused', by, isKept: true }),
  'deployment.resume': (_, by) => ({ text: 'resumed', by }),
  'deployment.cancel': (data, by) => ({ ...because('cancelled', data), by, isKept: true }),
  'deployment.rolled_back': () => ({ text: 'rolled back', isKept: true, isShown: true }),
  'deployment.rollback_failed': () => ({ text: 'could not be rolled back', isKept: true, isShown: true }),
  'deployment.attest': () => ({ text: 'attested: what landed is what was approved' }),
};

const showInEnvironment = (
  entities: EntityIndex,
  { environmentId, releaseId, kind }: Deployment,
  at: string,
  line: Exclude<StoryLine, string>,
) => {
  const name =
    kind === 'rollback' ? `rollback to ${releaseName(entities, releaseId)}` : releaseName(entities, releaseId);
  entities.change('Environment', environmentId, ({ story: scenario }) => ({
    story: withLine(scenario, at, { ...line, text: `${name} ${line.text}` }),
  }));
};

const noteOnDeployment = (entities: EntityIndex, id: string | undefined, at: string, line: StoryLine): void =>
  entities.change('Deployment', id, ({ decisions }) => ({ decisions: withLine(decisions, at, line) }));

const begin = (entities: EntityIndex, event: Event): void => {
  const at = event.at.toISOString();
  const isRollback = event.type === 'deployment.rollback';
  const deployment = isRollback ? rolledBack(entities, event) : launched(entities, event);
  entities.set('Deployment', event.entityId, deployment);
  const by = event.actor;
  const line = isRollback ? because('was asked for', event.data) : { text: 'was launched' };
  showInEnvironment(entities, deployment, at, { ...line, by });
  noteOnDeployment(entities, deployment.retryOf, at, { text: 'was tried again', by });
  noteOnDeployment(entities, deployment.undoes, at, { ...because('a rollback was asked for', event.data), by });
};

const lineOf = ({ text, more, by }: TimelineLine) => ({ text, ...present({ more, by }) });

const START_EVENTS: ReadonlySet<string> = new Set(['deployment.launch', 'deployment.retry', 'deployment.rollback']);

/** Folds deployment events except steps, phases and measures. */
export const foldDeployment = (entities: EntityIndex, event: Event): void => {
  const { type, entityId: id, data } = event;
  const at = event.at.toISOString();
  if (START_EVENTS.has(type)) {
    begin(entities, event);
    return;
  }
  const deployment = entities.find('Deployment', id);
  if (!deployment) return;
  const line = Object.hasOwn(LINE_BUILDERS, type) ? LINE_BUILDERS[type]?.(data, event.actor) : undefined;
  const state = textIn(data, 'state');
  if (!line && (state === undefined || type !== 'deployment.advance')) return;
  entities.set('Deployment', id, {
    ...deployment,
    ...present({ state, failure: failureIn(data) }),
    isAttested: deployment.isAttested || type === 'deployment.attest',
    story: line ? withLine(deployment.story, at, lineOf(line)) : deployment.story,
    decisions: line?.isKept ? withLine(deployment.decisions, at, lineOf(line)) : deployment.decisions,
  });
  if (line?.isShown) showInEnvironment(entities, deployment, at, lineOf(line));
  if (flagIn(data, 'retryable') === true) entities.touch('Environment', deployment.environmentId);
};
