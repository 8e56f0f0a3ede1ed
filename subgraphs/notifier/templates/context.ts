import type { NotificationEvent, Severity, Status } from '../events/event.ts';
import { safeAddress } from './address.ts';

/** Reasons for a notification, in the order of its life. */
export const REASONS = [
  'first',
  'new_members',
  'repeat',
  'escalation',
  'resolved',
  'digest',
  'flapping',
  'test',
] as const;
export type Reason = (typeof REASONS)[number];

const REASON_TEXTS: Readonly<Record<'en' | 'de', Readonly<Record<Reason, string>>>> = {
  en: {
    first: 'First notification',
    new_members: 'More events joined this group',
    repeat: 'Reminder: this is still open',
    escalation: 'Escalated: nobody acknowledged in time',
    resolved: 'Resolved',
    digest: 'Collected since the last digest',
    flapping: 'Flapping: you are told again once it is quiet',
    test: 'Test message: nothing happened',
  },
  de: {
    first: 'Erste Benachrichtigung',
    new_members: 'Weitere Ereignisse in dieser Gruppe',
    repeat: 'Erinnerung: noch offen',
    escalation: 'Eskaliert: niemand hat rechtzeitig bestätigt',
    resolved: 'Erledigt',
    digest: 'Gesammelt seit der letzten Zusammenfassung',
    flapping: 'Wechselt ständig: die nächste Nachricht kommt, wenn Ruhe ist',
    test: 'Testnachricht: es ist nichts passiert',
  },
};

/** Most members of a group that a message may list; `group.count` counts all of them. */
const MOST_MEMBERS = 50;

/** Event as templates read it. */
interface EventView {
  readonly eventId: string;
  readonly producer: string;
  readonly kind: string;
  /** ISO 8601 in UTC; the filter `time` writes it in the recipient's zone. */
  readonly at: string;
  readonly actor: string | null;
  readonly severity: Severity;
  readonly status: Status;
  readonly attributes: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly correlationId: string;
}

/** Absolute addresses; those that are not http, https or mailto are left out. */
interface Links {
  /** Page of the thing that the message is about. */
  readonly self?: string | undefined;
  readonly acknowledge?: string | undefined;
  /** Page where the recipient changes what they are told. */
  readonly preferences?: string | undefined;
}

/** Context of a template: all that it can read. */
export interface TemplateContext {
  readonly event: EventView;
  readonly group: {
    readonly count: number;
    /** Members that are not resolved. */
    readonly open: number;
    readonly members: readonly Omit<EventView, 'payload'>[];
  };
  readonly reason: { readonly code: Reason; readonly text: string };
  readonly links: Links;
  readonly tenant: { readonly id: string; readonly name: string };
  readonly recipient: { readonly name: string; readonly timeZone: string };
  readonly template: { readonly templateId: string; readonly key: string; readonly locale: string };
}

/** Names at the top of a context. */
export const CONTEXT_ROOTS: ReadonlySet<string> = new Set([
  'event',
  'group',
  'reason',
  'links',
  'tenant',
  'recipient',
  'template',
] satisfies (keyof TemplateContext)[]);

/** Facts of one notification, and the template that it is written with. */
export interface Notification {
  readonly event: NotificationEvent;
  /** Events of the group, newest last; the event alone if absent. */
  readonly members?: readonly NotificationEvent[] | undefined;
  readonly reason: Reason;
  readonly links: Links;
  readonly tenant: { readonly id: string; readonly name: string };
  readonly recipient?: { readonly name?: string; readonly timeZone?: string } | undefined;
  readonly template: { readonly templateId: string; readonly key: string; readonly locale: string };
}

const summaryOf = (event: NotificationEvent): Omit<EventView, 'payload'> => ({
  eventId: event.eventId,
  producer: event.producer,
  kind: event.kind,
  at: event.at.toISOString(),
  actor: event.actor,
  severity: event.severity,
  status: event.status,
  attributes: event.attributes,
  correlationId: event.correlationId,
});

const safeLinks = (links: Links): Links =>
  Object.fromEntries(
    Object.entries(links).flatMap(([name, link]) => {
      const address = typeof link === 'string' ? safeAddress(link) : '';
      return address === '' ? [] : [[name, address]];
    }),
  );

/** Reason in words, in the language of a template. */
const reasonText = (reason: Reason, locale: string): string =>
  REASON_TEXTS[locale.toLowerCase().startsWith('de') ? 'de' : 'en'][reason];

/** Context in which a template renders a notification. */
export const createContext = (notification: Notification): TemplateContext => {
  const { event, reason, links, tenant, recipient, template } = notification;
  const { members = [event] } = notification;
  const { templateId, key, locale } = template;
  return {
    event: { ...summaryOf(event), payload: event.payload },
    group: {
      count: members.length,
      open: members.filter(({ status }) => status !== 'resolved').length,
      members: members.slice(-MOST_MEMBERS).map(summaryOf),
    },
    reason: { code: reason, text: reasonText(reason, locale) },
    links: safeLinks(links),
    tenant: { id: tenant.id, name: tenant.name },
    recipient: { name: recipient?.name ?? '', timeZone: recipient?.timeZone ?? 'UTC' },
    template: { templateId, key, locale },
  };
};
