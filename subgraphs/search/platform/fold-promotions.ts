import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, numberIn, present, textIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { asSentence, environmentName, releaseName, withLine } from './phrases.ts';

type Promotion = FactsOf<'Promotion'>;

interface TimelineLine {
  readonly text: string;
  readonly more?: string;
  readonly isDecision?: boolean;
}

const approved = (data: Data): TimelineLine => {
  const [have, need] = [numberIn(data, 'have'), numberIn(data, 'need')];
  const comment = textIn(data, 'comment');
  const which = have === undefined || need === undefined ? '' : ` (${have} of ${need})`;
  return {
    text: 'approved',
    more: `${which}${comment === undefined ? '' : `: ${asSentence(comment)}`}`,
    isDecision: true,
  };
};

const because = (text: string, reason: string | undefined): TimelineLine => ({
  text,
  more: `: ${asSentence(reason ?? 'no reason given')}`,
  isDecision: true,
});

const LINES: Readonly<Record<string, (data: Data) => TimelineLine>> = {
  'promotion.approve': approved,
  'promotion.reject': (data) => because('rejected', textIn(data, 'comment')),
  'promotion.cancel': (data) => because('cancelled', textIn(data, 'reason')),
  'promotion.deploying': () => ({ text: 'its deployment began' }),
  'promotion.deployed': () => ({ text: 'deployed' }),
  'promotion.failed': () => ({ text: 'its deployment failed' }),
  'promotion.superseded': () => ({ text: 'another release took its place' }),
};

const requested = (entities: EntityIndex, { type, actor: by, data, at: when }: Event): Promotion => {
  const at = when.toISOString();
  const before = entities.find('Promotion', textIn(data, 'retryOf'));
  const reason = textIn(data, 'reason') ?? before?.reason ?? '';
  const request =
    type === 'promotion.retry' ? { text: 'asked for once more', by, more: ', its approvals kept' } : undefined;
  return {
    releaseId: textIn(data, 'releaseId') ?? before?.releaseId ?? '',
    environmentId: textIn(data, 'environmentId') ?? before?.environmentId ?? '',
    reason,
    state: textIn(data, 'state') ?? 'pending',
    at,
    story: withLine([], at, request ?? { text: 'asked for', by }),
    decisions: [],
  };
};

const ENVIRONMENT_EVENTS: ReadonlySet<string> = new Set(['promotion.reject', 'promotion.cancel']);

export const foldPromotion = (entities: EntityIndex, event: Event): void => {
  const { type, entityId: id, data } = event;
  const at = event.at.toISOString();
  if (type === 'promotion.request' || type === 'promotion.retry') {
    entities.set('Promotion', id, requested(entities, event));
    return;
  }
  const described = Object.hasOwn(LINES, type) ? LINES[type]?.(data) : undefined;
  const promotion = entities.find('Promotion', id);
  if (!described || !promotion) return;
  const { isDecision = false, text, more } = described;
  const line = { text, ...present({ more }), ...(isDecision && { by: event.actor }) };
  entities.set('Promotion', id, {
    ...promotion,
    state: textIn(data, 'state') ?? type.slice('promotion.'.length),
    story: withLine(promotion.story, at, line),
    decisions: isDecision ? withLine(promotion.decisions, at, line) : promotion.decisions,
  });
  if (!ENVIRONMENT_EVENTS.has(type)) return;
  const name = `${releaseName(entities, promotion.releaseId)} into ${environmentName(entities, promotion.environmentId)}`;
  entities.change('Environment', promotion.environmentId, ({ story: scenario }) => ({
    story: withLine(scenario, at, { ...line, text: `${name} was ${text}` }),
  }));
};
