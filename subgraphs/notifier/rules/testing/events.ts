import type { NotificationEvent } from '../../events/event.ts';
import type { Matcher } from '../matcher.ts';
import type { Action, Rule } from '../rule.ts';

/** Event of a failed deployment, but for what a test changes. */
export const anEvent = (changes: Partial<NotificationEvent> = {}): NotificationEvent => ({
  eventId: 'event-1',
  producer: 'platform',
  kind: 'deployment.failed',
  at: new Date('2026-03-10T12:00:00Z'),
  actor: 'ada',
  severity: 'warning',
  status: 'firing',
  attributes: { environment: 'prod', product: 'shop' },
  payload: {},
  correlationId: 'correlation-1',
  ...changes,
});

/** Action that tells at once, but for what a test changes. */
export const anAction = (changes: Partial<Action> = {}): Action => ({
  channelId: '00000000-0000-4000-8000-000000000001',
  templateKey: 'deployment.failed',
  groupBy: [],
  groupWaitSeconds: 0,
  groupIntervalSeconds: 300,
  repeatIntervalSeconds: 14_400,
  mutedDuring: [],
  activeDuring: [],
  ...changes,
});

/** Rule that matches every event, but for what a test changes. */
export const aRule = (changes: Partial<Rule> = {}): Rule => ({
  id: '00000000-0000-4000-8000-00000000000a',
  name: 'Everything',
  isEnabled: true,
  priority: 100,
  matchers: [],
  continues: false,
  actions: [anAction()],
  ...changes,
});

/** Matcher in three words. */
export const when = (path: string, op: Matcher['op'], value: Matcher['value']): Matcher => ({ path, op, value });
