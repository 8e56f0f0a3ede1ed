import type { NotificationEvent } from '../../events/event.ts';
import { type CompiledTemplate, compileTemplate } from '../compile.ts';
import { createContext, type Notification, type TemplateContext } from '../context.ts';
import { EVENT_SCHEMA, type EventTemplate } from '../document.ts';
import { type RenderedMessage, renderTemplate } from '../render.ts';

/** Event with fixed facts. */
export const event = (facts: Partial<NotificationEvent> = {}): NotificationEvent => ({
  eventId: '01JDZ3T6W0000000000000EVNT',
  producer: 'platform',
  kind: 'deployment.failed',
  at: new Date('2026-11-22T14:03:00Z'),
  actor: 'Mira Okafor',
  severity: 'critical',
  status: 'firing',
  attributes: { product: 'shop', release: '1.4.0', environment: 'production' },
  payload: {},
  correlationId: '01JDZ3T6W0000000000000CORR',
  ...facts,
});

/** Template document with defaults. */
export const document = (fields: Partial<EventTemplate> = {}): EventTemplate => ({
  schemaVersion: EVENT_SCHEMA,
  templateId: 'sample',
  tenantId: 'acme',
  channelType: 'slack',
  key: 'deployment.failed',
  locale: 'en',
  body: '{{ event.kind }}',
  renderMode: 'markdown',
  format: 'slack',
  createdAt: '2026-11-01T00:00:00Z',
  updatedAt: '2026-11-01T00:00:00Z',
  ...fields,
});

export const plainMail = (body: string) =>
  document({ channelType: 'email', format: 'email', renderMode: 'plainText', body, subject: 's' });
export const htmlMail = (body: string) =>
  document({
    channelType: 'email',
    format: 'email',
    renderMode: 'html',
    body,
    subject: '{{ event.attributes.product }}',
  });
export const slackBlocks = (body: unknown) => document({ renderMode: 'json', body: JSON.stringify(body) });
export const card = (body: unknown) =>
  document({ channelType: 'teams', format: 'teams', renderMode: 'adaptiveCard', body: JSON.stringify(body) });
export const webhook = (body: unknown) =>
  document({ channelType: 'webhook', format: 'webhook', renderMode: 'json', body: JSON.stringify(body) });
export const pagerduty = (body: unknown) =>
  document({ channelType: 'pagerduty', format: 'pagerduty', renderMode: 'json', body: JSON.stringify(body) });

type Facts = Partial<Omit<Notification, 'template'>>;

export const contextOf = (template: CompiledTemplate, facts: Facts = {}): TemplateContext =>
  createContext({
    event: event(),
    reason: 'first',
    links: { self: 'https://landfall.example/deployments/7' },
    tenant: { id: 'acme', name: 'Acme' },
    ...facts,
    template,
  });

/** Compiles and renders a document. */
export const render = (template: EventTemplate, facts: Facts = {}): RenderedMessage => {
  const compiled = compileTemplate(template);
  return renderTemplate(compiled, contextOf(compiled, facts));
};
